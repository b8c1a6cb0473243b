"""Finding a dataset: by every word, in declared texts only, with what fits for the reader."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import allocate, withdraw
from dpgov.datasets.finding import available_on
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.quote import quote
from dpgov.tenants.models import Membership, Project, ProjectMember
from tests.integration.budgets.shared.sharing import shared_budget
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

COUNT = {"statistics": [{"statistic": "count"}], "epsilon": 1}


@made_once
def browser(analyst: Membership, client_for: Callable[[Membership], Client]) -> Client:
    return client_for(analyst)


def found(browser: Client, words: str) -> str:
    return text_of(browser.get("/find/", {"q": words}).content)


def test_a_shared_budget_that_is_frozen_alone_is_not_called_used_up(
    browser: Client, dataset: Dataset, owner: Membership
) -> None:
    """A9: an officer has confirmed the dataset's own, and not yet the one that it shares."""
    pool = shared_budget(owner.tenant, "The same people", dataset.budget, limit=3 * NANO)
    Budget.objects.filter(pk=pool.pk).update(frozen_at=timezone.now(), frozen_reason="restored")
    text = found(browser, "visits")
    assert "nothing: the budget that these people share with other datasets is frozen" in text
    assert "used up" not in text


@pytest.mark.parametrize(
    "words", ["visits", "VISIT", "invented", "educ", "invented hours", "visits sex age", ""]
)
def test_a_dataset_is_found_by_name_description_and_columns(
    browser: Client, dataset: Dataset, words: str
) -> None:
    assert "1 dataset" in found(browser, words)


@pytest.mark.parametrize("words", ["income", "visits income", "Female", "%", "olga"])
def test_every_word_has_to_be_found_and_only_declared_names_count(
    browser: Client, dataset: Dataset, words: str
) -> None:
    assert "No dataset has all of these words" in found(browser, words)


def test_foreign_archived_and_held_datasets_are_never_found(
    browser: Client, dataset: Dataset, foreign_dataset: Dataset
) -> None:
    """H1: in a list, what is not one's own is not there."""
    assert "Foreign" not in found(browser, "")
    Dataset.objects.filter(pk=dataset.pk).update(
        held_at=timezone.now(), held_reason="like_earlier_data"
    )
    assert "No dataset has all" in found(browser, "visits")


def test_the_label_names_columns_domains_unit_and_what_fits(
    browser: Client, dataset: Dataset
) -> None:
    said = found(browser, "age")
    assert "Protects each row" in said
    assert "One question at most ε 2" in said
    assert "Available to you ε 2" in said
    assert "age : 0 to 100 in steps of 1" in said
    assert "4 columns, 1 named like that" in said
    assert "sex: Female, Male" in said


def test_without_the_needed_allocation_nothing_fits_and_the_card_leads_to_a_request(
    browser: Client, dataset: Dataset
) -> None:
    Dataset.objects.update(needs_allocation=True)
    page = browser.get("/find/").content
    assert "nothing: it takes an allocation" in text_of(page)
    assert "/datasets/visits/request/?about=allocation" in page.decode()


def grant(dataset: Dataset, holder: Any, epsilon: int) -> Any:
    return allocate(
        dataset_budget=dataset.budget,
        holder=holder,
        limit_nano=epsilon * NANO,
        actor=OPERATOR,
        reason="test",
    )


def room(dataset: Dataset, analyst: Membership) -> int:
    return available_on(analyst.user, [dataset])[dataset.pk].nano


def test_the_room_is_what_a_quote_says_under_every_kind_of_allocation(
    dataset: Dataset, analyst: Membership
) -> None:
    Dataset.objects.update(per_query_limit_nano=100 * NANO)
    dataset.refresh_from_db()

    def quoted() -> int:
        return quote(user=analyst.user, dataset=dataset, raw_plan=COUNT).largest_fit_nano

    assert room(dataset, analyst) == quoted() == 10 * NANO
    project = Project.objects.create(tenant=analyst.tenant, name="Study")
    ProjectMember.objects.create(tenant=analyst.tenant, project=project, user=analyst.user)
    grant(dataset, project, 5)
    assert room(dataset, analyst) == quoted() == 5 * NANO
    own = grant(dataset, analyst.user, 3)
    assert room(dataset, analyst) == quoted() == 3 * NANO
    withdraw(allocation=own, actor=OPERATOR, reason="test")
    assert room(dataset, analyst) == quoted() == 5 * NANO


def test_owners_see_what_remains_and_the_page_takes_few_statements(
    browser: Client,
    owner: Membership,
    dataset: Dataset,
    client_for: Callable[[Membership], Client],
    django_assert_max_num_queries: Any,
) -> None:
    owners = client_for(owner)
    assert "Remaining ε 10" in found(owners, "")
    for reader in (owners, browser):
        with django_assert_max_num_queries(12):
            reader.get("/find/?q=age")
