"""Patterns of attack: found from plans, bounded in cost, told with what they could learn."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.oversight import patterns as found_patterns
from dpgov.oversight.patterns import PatternLoss, Patterns, patterns_of, ranked
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import Ask, join
from tests.declared import declare_otherwise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
ClientFor = Callable[[Membership], Client]
FEMALE = {"column": "sex", "op": "=", "value": "Female"}


def younger(age: int) -> dict[str, Any]:
    return {"column": "age", "op": "<", "value": age}


def look(dataset: Dataset) -> Patterns:
    return patterns_of(dataset, current_version(dataset))


@made_once
def tracker(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, colleague: Membership
) -> None:
    """Two people ask of women under 40 and under 41; one asks thrice how many rows there are."""
    ask(analyst, where=(FEMALE, younger(40)), epsilon=0.5)
    ask(colleague, where=(younger(41), FEMALE), epsilon=0.25)
    for epsilon in (0.125, 0.25, 0.125):
        ask(analyst, epsilon=epsilon)
    answer_all()


@made_once
def colleague(tenant: Tenant) -> Membership:
    return join(tenant, Role.ANALYST, "carla")


def test_a_differencing_pair_is_pointed_out_across_people(tracker: None, dataset: Dataset) -> None:
    (pair,) = look(dataset).differing
    assert pair.title == "2 questions that differ in the condition on age"
    assert pair.is_narrow
    assert "The two most alike are 1 value of age apart, of 101." in pair.why
    assert pair.people == ("Anna", "Carla")


def test_what_a_pattern_could_learn_is_the_bound_for_its_whole_price(
    tracker: None, dataset: Dataset
) -> None:
    """ε 0.75 was paid; for another value one row goes and one comes: e^1.5 = 4.4817, 81.76%."""
    found = look(dataset)
    most = found.differing[0].most
    assert (found.steps, most.nano) == (2, 750_000_000)
    assert (most.odds, most.sure) == ("4.49", "at most 81.76% sure")


def test_where_rows_are_changed_and_none_comes_the_price_counts_once(
    dataset: Dataset, tracker: None
) -> None:
    """Another value is the one step that is paid for: e^0.75 = 2.117, an even guess to 67.92%."""
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), neighbouring=Neighbouring.CHANGE_ONE)
    found = look(Dataset.objects.get(pk=dataset.pk))
    most = found.differing[0].most
    assert (found.steps, most.nano) == (1, 750_000_000)
    assert (most.odds, most.sure) == ("2.12", "at most 67.92% sure")


def test_what_a_pattern_could_learn_where_rho_is_counted() -> None:
    """L20: the whole ρ of ε 3 at δ 1e-6 moves odds 29.46 times, an even guess to 96.72%.

    Two steps have four times that ρ.
    """
    whole = PatternLoss(RHO.limit_of(3 * NANO), RHO, 1)
    assert (whole.odds, whole.sure) == ("29.5", "at most 96.72% sure")
    moved, of_four = PatternLoss(whole.nano, RHO, 2), PatternLoss(4 * whole.nano, RHO, 1)
    assert (moved.odds, moved.sure) == (of_four.odds, of_four.sure)


def test_the_same_question_thrice_is_pointed_out_whatever_was_paid(
    tracker: None, dataset: Dataset
) -> None:
    (same,) = look(dataset).repeated
    assert same.title == "Asked 3 times: Count of rows"
    assert same.most.nano == 500_000_000


def test_leaving_a_condition_out_is_a_difference_too(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, dataset: Dataset
) -> None:
    ask(analyst, where=(younger(40),))
    ask(analyst, where=(younger(40), FEMALE))
    answer_all()
    (pair,) = look(dataset).differing
    assert pair.title == "2 questions that differ in the condition on sex"


def test_questions_that_differ_in_two_conditions_are_no_pair(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, dataset: Dataset
) -> None:
    ask(analyst, where=(younger(40), FEMALE))
    ask(analyst, where=(younger(30),))
    ask(analyst, where=(younger(40), FEMALE), statistics=({"statistic": "sum", "column": "age"},))
    answer_all()
    assert look(dataset).differing == ()


def test_what_was_never_answered_is_no_pattern(
    ask: Ask, analyst: Membership, dataset: Dataset
) -> None:
    ask(analyst, where=(younger(40),))
    ask(analyst, where=(younger(41),))
    assert look(dataset) == Patterns((), (), 0, 0, is_cut=False, steps=2)


def test_only_so_many_questions_are_looked_at(
    tracker: None, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_patterns, "LOOKED_AT", 3)
    found = look(dataset)
    assert (found.looked_at, found.different, found.is_cut) == (3, 1, True)
    assert found.differing == ()


def test_the_page_tells_it_in_few_questions_to_the_database(
    tracker: None,
    dataset: Dataset,
    officer: Membership,
    client_for: ClientFor,
    django_assert_max_num_queries: Any,
) -> None:
    browser = client_for(officer)
    browser.get(f"/datasets/{dataset.slug}/patterns/")
    before = AuditEntry.objects.count(), Query.objects.count()
    with django_assert_max_num_queries(12):
        page = browser.get(f"/datasets/{dataset.slug}/patterns/")
    assert "one value apart" in page.text
    said = " ".join(page.text.split())
    bound = (
        "about one row: odds 4.49 times as high or as low, so who was 50% sure may become at most"
    )
    assert f"{bound} 81.76% sure" in said
    assert "can tell about one row is bounded" in said
    assert "theirs are taken out, and others put in" in said
    assert (AuditEntry.objects.count(), Query.objects.count()) == before


def test_a_dataset_without_patterns_says_so(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    page = client_for(owner).get(f"/datasets/{dataset.slug}/patterns/").text
    assert "No two questions differ in one condition only" in page
    assert "No question was paid three times" in page


def test_patterns_stand_in_one_table_ranked_by_what_they_could_tell(
    tracker: None, dataset: Dataset
) -> None:
    """The rank stays with a pattern however the table is sorted; a sort that is none is none."""
    found = look(dataset)
    by_price = ranked(found)
    assert [rank for rank, _pattern in by_price] == [1, 2]
    assert [pattern.most.nano for _rank, pattern in by_price] == [750_000_000, 500_000_000]
    assert ranked(found, "nonsense") == by_price
    (same,), (pair,) = found.repeated, found.differing
    assert [pattern for _rank, pattern in by_price] == [pair, same]
    assert [rank for rank, _pattern in ranked(found, "number")] == [2, 1]
