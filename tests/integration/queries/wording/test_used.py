"""What an answer is said to have used is what was booked for it, wherever it is said."""

import re
from collections.abc import Callable
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db.models import Max
from django.test import Client
from django.utils import timezone

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.models import Query
from dpgov.queries.wording import paper
from dpgov.queries.wording.charged import used_in_words
from dpgov.tenants.models import Membership
from dpgov.web.paper import page
from tests.cast import answer_query
from tests.declared import declare_otherwise
from tests.integration.budgets.test_partition import divide, on
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import ROWS

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[..., Query]
_LATER = timedelta(days=400)


def booked(query: Query) -> str:
    most = Charge.objects.filter(query_id=query.pk).aggregate(most=Max("amount_nano"))["most"]
    return f"ε {as_text(most)}"


def said_used(text: str) -> str:
    (found,) = re.findall(r"used (ε [\d.]+) of the dataset's budget", text)
    return str(found)


def answered(query: Query, doublings: int = 0) -> Query:
    assert answer_query(query.pk)
    Query.objects.filter(pk=query.pk).update(doublings_owed=doublings)
    assert publish_due(timezone.now() + _LATER) == 1
    query.refresh_from_db()
    return query


@made_once
def plain(analyst: Membership, ask: Ask) -> Query:
    return answered(ask(analyst, epsilon=0.5))


@made_once
def of_a_part(analyst: Membership, ask: Ask, dataset: Dataset) -> Query:
    """Under change_one somebody may have been in another part: it is charged twice."""
    declare_otherwise(
        Dataset.objects.filter(pk=dataset.pk),
        neighbouring=Neighbouring.CHANGE_ONE.value,
        public_rows=len(ROWS),
    )
    divide(dataset)
    return answered(ask(analyst, epsilon=0.5, where=(on("education", "=", "Primary"),)))


@made_once
def doubled(analyst: Membership, ask: Ask) -> Query:
    return answered(ask(analyst, epsilon=0.01), doublings=2)


@pytest.mark.parametrize(
    ("kind", "amount", "why"),
    [
        ("plain", "ε 0.5", ""),
        ("of_a_part", "ε 1", "charged twice its price"),
        ("doubled", "ε 0.012", "the time that it took"),
    ],
)
def test_what_an_answer_used_is_what_was_charged_for_it(
    request: pytest.FixtureRequest, browser: Client, kind: str, amount: str, why: str
) -> None:
    """L20: on its page and on paper; and why it is more than the price of its noise."""
    query = request.getfixturevalue(kind)
    with patch.object(paper, "text", wraps=page.text) as text:
        browser.get(f"/queries/{query.pk}/download/pdf/")
    on_paper = " ".join(call.args[1] for call in text.call_args_list)
    shown = text_of(browser.get(f"/queries/{query.pk}/").content).replace("&#x27;", "'")
    assert booked(query) == amount
    assert {said_used(words) for words in (shown, on_paper, used_in_words(query))} == {amount}
    assert why in shown


def test_an_answer_without_a_surcharge_gives_no_reason(plain: Query) -> None:
    assert used_in_words(plain) == "This answer used ε 0.5 of the dataset's budget."
