"""A plan from JSON: the one door through which questions come in, from forms and API alike.

Refuses everything it does not know, by name and with its path, and never looks at data: the
same plan is refused or accepted whatever the table holds.
"""

from collections.abc import Mapping
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.budget import InvalidAmount, parse_epsilon
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.parsing.groups import read_grouping
from dpgov.privacy.plan.parsing.statistics import read_statistics
from dpgov.privacy.plan.parsing.where import read_filters
from dpgov.privacy.plan.plan import Grouping, Plan
from dpgov.privacy.plan.problems import Problems, shortened
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import Recipe

MAX_GROUPINGS = 3
_PLAN_KEYS = ("dataset", "statistics", "where", "group_by", "epsilon", "rho")


def parse_plan(raw: object, schema: DatasetSchema, *, dataset: str) -> Plan:
    """The plan that `raw` (parsed JSON) stands for, asked of the dataset with this slug.

    "where" and "group_by" may be left out, and so may "dataset", which must match if it is there.
    Numbers may be JSON numbers or decimal text. Raises InvalidPlan with every problem found.
    """
    problems = Problems()
    body = problems.mapping("plan", raw, _PLAN_KEYS)
    if body is None:
        problems.raise_if_any()
        raise AssertionError("a plan that is no object was let through")
    if body.get("dataset", dataset) != dataset:
        problems.add(
            "dataset", said("This question was sent to the dataset “{dataset}”.", dataset=dataset)
        )
    epsilon, rho = _price(body, schema.mode, problems)
    plan = Plan(
        dataset=dataset,
        statistics=read_statistics(body.get("statistics", []), schema, problems),
        where=read_filters("where", body.get("where", []), schema, problems),
        group_by=_group_by(body.get("group_by", []), schema, problems),
        epsilon_nano=epsilon,
        rho_nano=rho,
    )
    _check_together(plan, problems)
    problems.raise_if_any()
    return plan


def _check_together(plan: Plan, problems: Problems) -> None:
    cumulative = any(s.kind.facts.recipe is Recipe.CUMULATIVE for s in plan.statistics)
    if cumulative and not (plan.group_by and plan.group_by[-1].edges):
        problems.add(
            "group_by",
            said(
                "A cumulative distribution runs along a column of numbers: give it as the last "
                "group, with its edges."
            ),
        )


def _price(
    body: Mapping[str, Any], mode: Mode, problems: Problems
) -> tuple[int | None, int | None]:
    epsilon, rho = body.get("epsilon"), body.get("rho")
    if rho is None:
        return _amount("epsilon", epsilon, problems), None
    if mode is Mode.PURE:
        problems.add("rho", said("This dataset counts ε; give an epsilon instead of a rho."))
    if epsilon is not None:
        problems.add("rho", said("Give an epsilon or a rho, not both."))
    return None, _amount("rho", rho, problems)


def _amount(name: str, raw: object, problems: Problems) -> int:
    if raw is None:
        problems.add(name, said("Say how much ε to spend, like 0.5."))
        return 0
    try:
        return parse_epsilon(raw, symbol="ε" if name == "epsilon" else "ρ")
    except InvalidAmount as problem:
        problems.add(name, str(problem))
        return 0


def _group_by(raw: object, schema: DatasetSchema, problems: Problems) -> tuple[Grouping, ...]:
    found: list[Grouping] = []
    for position, entry in enumerate(problems.items("group_by", raw, most=MAX_GROUPINGS)):
        path = f"group_by.{position}"
        grouping = read_grouping(path, entry, schema, problems)
        if grouping is None:
            continue
        if grouping.column in (earlier.column for earlier in found):
            message = said("Already grouped by “{column}”.", column=shortened(grouping.column))
            problems.add(f"{path}.column", message)
        found.append(grouping)
    return tuple(found)
