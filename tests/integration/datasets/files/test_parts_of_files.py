"""L2: the part of a unit belongs to the unit and the budget, whichever file it comes in."""

import json
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, BudgetPart, RateLimit
from dpgov.budgets.services import give_up_parts, set_rate_limit
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import archive_dataset, change_unit_bounds
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.integration.datasets.filing import (
    apart,
    as_file,
    ask,
    columns,
    committed,
    parts_of,
    people,
    registered,
    uploaded,
    versioned,
)

BOTH = people(*[("North", "South")] * 12)
SPECS = columns()


def _lines(dataset: Dataset) -> dict[str, int]:
    lines = BudgetPart.objects.filter(dataset_budget=dataset.budget).select_related("budget")
    return {line.part: line.budget.committed_nano for line in lines}


def test_the_same_file_with_its_columns_in_another_order_has_everybody_where_they_were(
    owner: Membership,
) -> None:
    """L2: registered again it shares the budget, and nobody is in two parts of it."""
    first = registered(owner, as_file(BOTH), SPECS)
    swapped = as_file(BOTH, ("region", "visits", "id"))
    second = registered(owner, swapped, columns(first="region"))
    assert second.budget_id == first.budget_id
    assert {frozenset(parts) for parts in parts_of(first).values()} == {
        frozenset({"North"}),
        frozenset({"South"}),
    }
    assert parts_of(second) == parts_of(first)
    assert apart(first)


def test_another_column_that_nobody_declared_moves_nobody(owner: Membership) -> None:
    """L2: neither does another declared one."""
    first = registered(owner, as_file(BOTH), SPECS)
    before = parts_of(first)
    versioned(owner, first, as_file(BOTH, ("note", "id", "visits", "region")), SPECS)
    assert parts_of(first) == before


def test_another_rule_for_missing_regions_ends_the_discount_where_rows_are_units(
    owner: Membership, analyst: Membership
) -> None:
    """L2: a row without region is in the North of one file and in the South of the next."""
    content = as_file(people(*[("",)] * 5, ("North",), ("South",)))
    first = registered(owner, content, columns(missing="North"), named=False)
    ask(analyst, first, "North")
    versioned(owner, first, content, columns(missing="South"))
    assert not apart(first)
    ask(analyst, first, "South")
    assert committed(first) == 2 * NANO
    assert _lines(first) == {"North": 2 * NANO, "South": NANO, "other": NANO}


def test_a_person_who_moved_stays_in_the_part_of_the_budget(
    owner: Membership, analyst: Membership
) -> None:
    """L2: their rows elsewhere are left out, so that both regions cost what one does."""
    first = registered(owner, as_file(people(("North",), ("South",), ("North",))), SPECS)
    ask(analyst, first, "North")
    versioned(owner, first, as_file(people(("South",), ("South",), ("North", "South"))), SPECS)
    ask(analyst, first, "South")
    assert parts_of(first) == {1: {"South"}, 2: {"North"}}
    assert (committed(first), apart(first)) == (NANO, True)


def test_rows_that_come_later_keep_a_person_where_they_were(owner: Membership) -> None:
    """L2: a monthly update; whichever of the rows would have been first by itself."""
    first = registered(owner, as_file(people(*[("North",)] * 12)), SPECS)
    versioned(owner, first, as_file(people(*[("South", "North", "")] * 12, ("South",))), SPECS)
    assert parts_of(first) == {**{who: {"North"} for who in range(12)}, 12: {"South"}}
    versioned(owner, first, as_file(people(*[("South", "North")] * 13)), SPECS)
    assert parts_of(first) == {**{who: {"North"} for who in range(12)}, 12: {"South"}}


def test_who_was_in_no_declared_part_stays_in_none(owner: Membership) -> None:
    """L2: everything else is a part as well; a missing region and an undeclared one are in it."""
    first = registered(owner, as_file(people(("",), ("Mars",), ("North",))), SPECS)
    later = people(("North",), ("South", "Venus"), ("",))
    versioned(owner, first, as_file(later), columns(missing="North"))
    assert parts_of(first) == {1: {"else"}, 2: {"North"}}


def test_a_new_category_is_a_new_line_for_those_who_come_with_it(
    owner: Membership, analyst: Membership
) -> None:
    """L2: a year more; it has the limit and the rates of the others, and nothing is spent of it."""
    first = registered(owner, as_file(people(("North",), ("East",))), SPECS)
    set_rate_limit(
        budget=first.budget,
        period=RateLimit.Period.DAY,
        limit_nano=5 * NANO,
        actor=actor_of(owner.user),
    )
    ask(analyst, first, "North")
    later = people(("North", "East"), ("East",), ("East",))
    versioned(owner, first, as_file(later), columns(("North", "South", "East")))
    assert _lines(first) == {"North": NANO, "South": 0, "other": 0, "East": 0}
    assert parts_of(first) == {0: {"North"}, 2: {"East"}}
    ask(analyst, first, "East")
    assert (committed(first), _lines(first)["East"]) == (NANO, NANO)
    line = Budget.objects.get(as_part__part="East")
    assert (line.limit_nano, line.rate_limits.get().limit_nano) == (100 * NANO, 5 * NANO)
    assert line.rate_limits.get().taken_nano == NANO


def test_other_limits_for_a_person_are_no_second_file(owner: Membership) -> None:
    """L2: the same bytes under another name place everybody as they did."""
    first = registered(owner, as_file(BOTH), SPECS)
    change_unit_bounds(dataset=first, max_rows=1, max_groups=None, user=owner.user)
    before = parts_of(first)
    moved = people(*[("South", "North")] * 14)
    versioned(owner, first, as_file(moved), SPECS)
    assert {who: before[who] for who in before} == {
        who: parts for who, parts in parts_of(first).items() if who < 12
    }


def test_without_the_earlier_file_nobody_is_placed_anew(owner: Membership) -> None:
    """L2: a file that is gone is put back first; nothing has changed meanwhile."""
    first = registered(owner, as_file(BOTH), SPECS)
    kept = storage.data_path(current_version(first).pk)
    content = kept.read_bytes()
    kept.unlink()
    with pytest.raises(InvalidDomain, match="not on this machine"):
        versioned(owner, first, as_file(BOTH[:-1]), SPECS)
    assert (first.versions.count(), apart(first)) == (1, True)
    kept.write_bytes(content)
    assert versioned(owner, first, as_file(BOTH[:-1]), SPECS).number == 2


def test_when_the_data_was_archived_and_is_gone_the_discount_ends(owner: Membership) -> None:
    """L2: what was spent stays, and nobody can tell any more who was where."""
    first = registered(owner, as_file(BOTH), SPECS)
    archive_dataset(dataset=first, user=owner.user)
    storage.data_path(current_version(first).pk).unlink()
    second = registered(owner, as_file(BOTH), SPECS)
    assert second.budget_id == first.budget_id
    assert not apart(second)
    detail = json.loads(AuditEntry.objects.latest("sequence").detail)
    assert detail["parts_charged_apart"] is False


def test_the_pages_say_what_another_file_does(
    owner: Membership, client_for: Callable[[Membership], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """L2: before it is added, however many columns fold the rest; and afterwards who pays."""
    monkeypatch.setattr("dpgov.datasets.web.forms.registration._WIDE", 1)
    first = registered(owner, as_file(BOTH), SPECS, named=False)
    second = uploaded(owner, as_file(BOTH[:-1]))
    browser = client_for(owner)
    page = reverse("datasets:add_version", args=[first.slug, second.pk])
    folded, _, what_stays = browser.get(page).text.partition('aria-labelledby="stays-title"')
    assert " open" in what_stays.partition(">")[0]
    assert 'id="computed-columns">' in folded
    assert "paid by all parts of region, for good" in what_stays
    versioned(owner, first, as_file(BOTH), SPECS)
    assert "What does not stay" not in browser.get(page).content.decode()
    for name, said in (
        ("datasets:detail", "every question is paid by all of its categories"),
        ("dashboards:budget", "every question is charged to all of them, for good"),
    ):
        assert said in browser.get(reverse(name, args=[first.slug])).content.decode()


def test_rows_that_are_added_leave_everybody_where_they_are(
    owner: Membership, analyst: Membership
) -> None:
    """L2: who comes again stays in their part, and who is new lies where their rows are."""
    first = registered(owner, as_file(people(("North",), ("South",))), SPECS)
    ask(analyst, first, "North")
    more = [("p0", 10, "South"), ("p0", 20, "North"), ("p1", 11, ""), ("p7", 17, "South")]
    versioned(owner, first, as_file(more), SPECS, append_rows=True)
    assert parts_of(first) == {0: {"North"}, 1: {"South"}, 20: {"North"}, 17: {"South"}}
    ask(analyst, first, "South")
    assert (committed(first), apart(first)) == (NANO, True)


def test_a_year_of_new_rows_has_its_own_line_and_old_rows_are_not_sent_again(
    owner: Membership, analyst: Membership
) -> None:
    """L2: where rows are units as well, the parts stay apart."""
    first = registered(owner, as_file(people(*[("North",)] * 9)), SPECS, named=False)
    ask(analyst, first, "North")
    later = [(f"q{who}", 50 + 3 * who, "East") for who in range(12)]
    wider = columns(("North", "South", "East"))
    versioned(owner, first, as_file(later), wider, append_rows=True)
    assert _lines(first) == {"North": NANO, "South": 0, "other": 0, "East": 0}
    ask(analyst, first, "East")
    assert (committed(first), apart(first)) == (NANO, True)
    found = parts_of(first)
    assert {who for who, parts in found.items() if parts == {"East"}} == {row[1] for row in later}
    assert {who for who, parts in found.items() if parts == {"North"}} == set(range(9))


def test_where_the_discount_has_ended_rows_are_added_all_the_same(owner: Membership) -> None:
    """L2: it stays ended, and a person stays where the stored rows are."""
    first = registered(owner, as_file(BOTH), SPECS)
    give_up_parts(budget_id=first.budget_id)
    before = parts_of(first)
    more = [(f"p{who}", 20 + who, region) for who in range(12) for region in ("North", "South")]
    versioned(owner, first, as_file(more), SPECS, append_rows=True)
    found = parts_of(first)
    assert {who: found[20 + who] for who in range(12)} == before
    assert not apart(first)


def test_the_discount_never_comes_back(owner: Membership) -> None:
    """L2: the database itself refuses it."""
    first = registered(owner, as_file(BOTH), SPECS, named=False)
    versioned(owner, first, as_file(BOTH), SPECS)
    budgets = Budget.objects.filter(pk=first.budget_id, undivided_at__isnull=False)
    assert budgets.exists()
    with pytest.raises(DatabaseError, match="never comes back"), transaction.atomic():
        budgets.update(undivided_at=None)
    assert budgets.exists()
    assert connection.is_usable()
