"""A partition column: who is charged on which line, from the question that is asked."""

from collections.abc import Callable
from typing import Any

import pytest

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, BudgetPart, Charge
from dpgov.budgets.services import open_parts
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.queries.asking.quote import quote
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import COUNT, Ask
from tests.declared import declare_otherwise
from tests.small_dataset import EDUCATIONS, ROWS

pytestmark = pytest.mark.django_db

PARTS = (*EDUCATIONS, "other")
HALF = NANO // 2
Balances = dict[str, int]


def divide(dataset: Dataset) -> Dataset:
    """Each education gets a line of its own."""
    open_parts(budget=dataset.budget, parts=PARTS)
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), partition_column="education")
    dataset.refresh_from_db()
    return dataset


@pytest.fixture
def divided(dataset: Dataset) -> Dataset:
    return divide(dataset)


@pytest.fixture
def changing(dataset: Dataset) -> Dataset:
    """The same under change_one: somebody may have had another education."""
    declare_otherwise(
        Dataset.objects.filter(pk=dataset.pk),
        neighbouring=Neighbouring.CHANGE_ONE.value,
        public_rows=len(ROWS),
    )
    return divide(dataset)


def committed(dataset: Dataset) -> Balances:
    lines = BudgetPart.objects.filter(dataset_budget=dataset.budget).select_related("budget")
    return {line.part: line.budget.committed_nano for line in lines}


def everywhere(nano: int) -> Balances:
    return dict.fromkeys(PARTS, nano)


def whole(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


def on(column: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"column": column, "op": op} | ({} if value is None else {"value": value})


def test_a_question_about_one_part_is_charged_there_alone(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: and the dataset's loss is that of its largest part."""
    ask(analyst, where=(on("education", "=", "Primary"),))
    assert committed(divided) == everywhere(0) | {"Primary": HALF}
    assert whole(divided) == (HALF, 0)


def test_questions_about_different_parts_cost_the_dataset_once(
    divided: Dataset, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """F5: three questions of ε 0.5 about disjoint people lose ε 0.5, not 1.5."""
    for part in EDUCATIONS:
        ask(analyst, where=(on("education", "=", part),))
    assert answer_all() == 3
    assert committed(divided) == dict.fromkeys(EDUCATIONS, HALF) | {"other": 0}
    assert whole(divided) == (0, HALF)
    assert not Charge.objects.filter(budget=divided.budget).exists()


def test_a_question_about_some_parts_is_charged_on_each_of_them(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    ask(analyst, where=(on("education", "in", ["Primary", "Tertiary"]),))
    assert committed(divided) == everywhere(0) | {"Primary": HALF, "Tertiary": HALF}


def test_two_conditions_leave_at_most_the_smaller_set(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: all conditions hold at once."""
    both = (
        on("education", "in", ["Primary", "Secondary"]),
        on("education", "=", "Secondary"),
    )
    ask(analyst, where=both)
    assert committed(divided) == everywhere(0) | {"Secondary": HALF}


@pytest.mark.parametrize(
    "where",
    [
        (),
        (on("education", "!=", "Primary"),),
        (on("education", "is_present"),),
        (on("education", "is_missing"),),
        (on("sex", "=", "Male"),),
        (on("age", "between", [0, 30]),),
    ],
    ids=["all rows", "not one part", "present", "missing", "another column", "a range"],
)
def test_whatever_does_not_name_its_parts_is_charged_on_every_line(
    divided: Dataset, analyst: Membership, ask: Ask, where: tuple[dict[str, Any], ...]
) -> None:
    """F5: no discount for what only looks disjoint."""
    ask(analyst, where=where)
    assert committed(divided) == everywhere(HALF)
    assert whole(divided) == (HALF, 0)


def test_groups_by_the_partition_column_are_one_question_about_everybody(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: the parts of one question are charged once, on every line."""
    ask(analyst, group_by=({"column": "education", "categories": list(EDUCATIONS)},))
    assert committed(divided) == everywhere(HALF)


def test_a_second_question_about_the_same_part_adds_up(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: across questions there is no discount within a part."""
    for _ in range(2):
        ask(analyst, where=(on("education", "=", "Primary"),))
    ask(analyst)
    assert committed(divided) == everywhere(HALF) | {"Primary": 3 * HALF}
    assert whole(divided) == (3 * HALF, 0)


def test_a_full_part_refuses_its_own_questions_and_those_about_everybody(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F2, F5: the others may still be asked."""
    for _ in range(5):
        ask(analyst, epsilon=2, where=(on("education", "=", "Primary"),))
    plan = {"statistics": list(COUNT), "epsilon": 0.5}
    priced = quote(user=analyst.user, dataset=divided, raw_plan=plan)
    assert priced.refusal == "Only ε 0 remains of the budget for “Primary”."
    assert priced.largest_fit_nano == 0
    ask(analyst, where=(on("education", "=", "Tertiary"),))
    assert committed(divided)["Tertiary"] == HALF


def test_under_change_one_a_part_is_charged_twice(
    changing: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: who moves from one part to another shows in both; the two lines cover it together."""
    ask(analyst, of=changing, where=(on("education", "in", ["Primary", "Secondary"]),))
    assert committed(changing) == everywhere(0) | {"Primary": 2 * HALF, "Secondary": 2 * HALF}


def test_under_change_one_a_question_about_everybody_is_charged_once(
    changing: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: its neighbours differ in one unit, wherever that one is."""
    ask(analyst, of=changing)
    assert committed(changing) == everywhere(HALF)


def test_what_fits_takes_the_factor_into_account(
    changing: Dataset, analyst: Membership, ask: Ask
) -> None:
    """F5: of the ε 10 of a part only a question of ε 5 fits, or the limit for one question."""
    where = [on("education", "=", "Primary")]
    plan = {"statistics": list(COUNT), "where": where, "epsilon": 2}
    for _ in range(2):
        ask(analyst, of=changing, epsilon=2, where=tuple(where))
    priced = quote(user=analyst.user, dataset=changing, raw_plan=plan)
    assert priced.largest_fit_nano == NANO
    assert priced.refusal is not None
    assert "counts 2 times" in priced.refusal


def test_a_voided_question_leaves_every_line_as_it_was(
    divided: Dataset, analyst: Membership, ask: Ask
) -> None:
    """B7: and the dataset follows its lines down again."""
    from dpgov.budgets.services import void

    query = ask(analyst)
    void(query_id=query.pk)
    assert committed(divided) == everywhere(0)
    assert whole(divided) == (0, 0)


def test_the_log_names_every_line(
    divided: Dataset, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """G8: what was asked and what was booked can be added up from the entries alone."""
    query: Query = ask(analyst, where=(on("education", "=", "Primary"),))
    answer_all()
    line = BudgetPart.objects.get(part="Primary", dataset_budget=divided.budget)
    booked = f'"budget":"{line.pk}","epsilon":"0.5","factor":1'
    for action in ("QUERY_SUBMITTED", "QUERY_RELEASED"):
        entry = AuditEntry.objects.get(action=action, subject=f"query:{query.pk}")
        assert booked in entry.detail
        assert entry.detail.count('"budget":') == 1
