"""M42: a joint total is nowhere taken for an answer about one organisation's dataset.

What could mislead, and tell: the total beside the dataset's own count, from which it differs by
what the other organisations have; synthetic rows of other people; a file that does not say whose
it is.
"""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.queries.models import Query
from dpgov.queries.wording import paper
from dpgov.queries.wording.synthetic import NoTables, made_of, tables_together
from dpgov.tenants.models import Membership
from dpgov.web.paper import page
from tests.integration.joint.made import Side, all_joined, finished, query_of
from tests.made_once import made_once


@made_once
def answers(sides: list[Side]) -> list[Query]:
    """The first organisation's parts of two questions that could be compared."""
    found = []
    for _ in range(2):
        question = all_joined(sides)
        finished(sides)
        found.append(query_of(sides[0], question))
    return found


def test_it_is_not_compared_with_the_datasets_answers(
    sides: list[Side], answers: list[Query], client_for: Callable[[Membership], Client]
) -> None:
    """M42: neither offered, nor shown to who names it; its page leads to no such page."""
    browser = client_for(sides[0].owner)
    address = reverse("queries:compare", args=[sides[0].dataset.slug])
    for named in ([], [str(one.pk) for one in answers]):
        shown = browser.get(address, {"answer": named}).context
        assert (shown["choices"], shown["rows"]) == ([], [])
    answer = browser.get(reverse("queries:detail", args=[answers[0].pk])).content.decode()
    assert "not of this dataset alone" in answer
    assert address not in answer


def test_no_synthetic_rows_are_made_of_it(answers: list[Query]) -> None:
    """M42: they would be filed under one dataset, and stand for the people of all."""
    assert tables_together(answers[0]) == []
    with pytest.raises(NoTables):
        made_of(answers[0])


def test_a_file_to_print_says_whose_total_it_is(
    sides: list[Side], answers: list[Query], client_for: Callable[[Membership], Client]
) -> None:
    """M42: as its page does, also where it is handed on."""
    browser = client_for(sides[0].owner)
    with patch.object(paper, "text", wraps=page.text) as text:
        browser.get(reverse("queries:download", args=[answers[0].pk, "pdf"]))
    sentence = (
        "A joint answer: the total of 3 organisations, of whom 1 may collude; "
        "not of this dataset alone."
    )
    assert sentence in [call.args[1] for call in text.call_args_list]
