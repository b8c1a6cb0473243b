"""A plan from JSON: the one door through which questions come in, from forms and API alike.

The plan and its statistics; filters and groupings are read in `where`. Refuses everything it does
not know, by name and with its path, and never looks at data: the same plan is refused or accepted
whatever the table holds.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpgov.language.said import said, sentences
from dpgov.privacy.accounting.decimals import InvalidAmount, decimals_of, parse_epsilon
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.computed.asked import formulas_used
from dpgov.privacy.plan.outcomes import has_two_values, not_of_two
from dpgov.privacy.plan.parsing.choosing import read_choosing
from dpgov.privacy.plan.parsing.computed import with_computed
from dpgov.privacy.plan.parsing.groups import check_along, read_grouping
from dpgov.privacy.plan.parsing.narrowing import not_clipped, read_clip, read_per_unit
from dpgov.privacy.plan.parsing.predictors import not_grouped, read_predictors
from dpgov.privacy.plan.parsing.where import read_column, read_filters, read_number
from dpgov.privacy.plan.plan import Grouping, Plan, Statistic
from dpgov.privacy.plan.problems import Problems, shortened, suggesting
from dpgov.privacy.plan.schema import DatasetSchema, DateDomain, NumericDomain
from dpgov.privacy.plan.statistics import HISTOGRAM, SYNONYMS, Quantity, StatisticKind

# A full table of a set of tables may have many columns; what bounds an answer is its cells.
MAX_GROUPINGS = 8
_PRICE_KEYS = ("epsilon", "rho")
_ASKED_KEYS = ("computed", "statistics", "where", "group_by", "per_unit")
_PLAN_KEYS = ("dataset", *_ASKED_KEYS, *_PRICE_KEYS)


def parse_plan(raw: object, schema: DatasetSchema, *, dataset: str, stored: bool = False) -> Plan:
    """The plan that `raw` (parsed JSON) stands for, asked of the dataset with this slug.

    One that is `stored` was accepted before, and may be of tables that are chosen adaptively.

    "computed", "where" and "group_by" may be left out, and so may "dataset", which must match if it
    is there. What is computed and named nowhere else is no part of the plan. Numbers may be JSON
    numbers or decimal text. Raises InvalidPlan with every problem found.
    """
    problems = Problems()
    keys = (*_PLAN_KEYS, "adaptive") if stored else _PLAN_KEYS
    body = problems.mapping("plan", raw, keys)
    if body is None:
        problems.raise_if_any()
        raise AssertionError("a plan that is no object was let through")
    if body.get("dataset", dataset) != dataset:
        problems.add(
            "dataset", said("This question was sent to the dataset “{dataset}”.", dataset=dataset)
        )
    epsilon, rho = _price(body, schema.mode, problems)
    computing = Problems()
    computes = "computed" in body
    schema = with_computed(body, schema, computing) if computes else schema.declared
    # Else whatever names a column that could not be computed would be refused, too.
    computing.raise_if_any()
    group_by = _group_by(body.get("group_by", []), schema, problems)
    limits, choosing = body.get("per_unit"), body.get("adaptive")
    plan = Plan(
        dataset=dataset,
        statistics=read_statistics(body.get("statistics", []), schema, problems),
        where=read_filters("where", body.get("where", []), schema, problems),
        group_by=group_by,
        epsilon_nano=epsilon,
        rho_nano=rho,
        per_unit=None if limits is None else read_per_unit(limits, schema, problems),
        choosing=None if choosing is None else read_choosing(choosing, group_by, problems),
    )
    if schema.asked:
        plan = replace(plan, computed=formulas_used(plan, schema))
    _check_together(plan, problems)
    problems.raise_if_any()
    return plan


def _check_together(plan: Plan, problems: Problems) -> None:
    check_along(plan, problems)
    if plan.group_by and any(s.predictors for s in plan.statistics):
        problems.add("group_by", not_grouped())


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


MAX_STATISTICS = 10
MAX_QUANTILES = 100
_KEYS = ("statistic", "column", "predictors", "quantiles", "share", "clip")
_QUANTILE_DECIMALS = 4


def read_statistics(
    raw: object, schema: DatasetSchema, problems: Problems
) -> tuple[Statistic, ...]:
    """What is asked, each once; shares that are locked leave something for the others."""
    entries = problems.items("statistics", raw, least=1, most=MAX_STATISTICS)
    found: list[Statistic] = []
    for position, entry in enumerate(entries):
        path = f"statistics.{position}"
        statistic = _statistic(path, entry, schema, problems)
        if statistic is None:
            continue
        if _asked(statistic) in map(_asked, found):
            problems.add(path, said("The same statistic is there twice; one answer costs less."))
        found.append(statistic)
    _check_shares(found, problems)
    return tuple(found)


def _asked(statistic: Statistic) -> tuple[object, ...]:
    return statistic.kind, statistic.source, statistic.quantiles, frozenset(statistic.predictors)


def _statistic(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> Statistic | None:
    body = problems.mapping(path, raw, _KEYS)
    if body is None:
        return None
    named = body.get("statistic")
    if named == HISTOGRAM:
        message = said("For a histogram, ask a count and group it (group_by).")
        problems.add(f"{path}.statistic", message)
        return None
    known = [kind.value for kind in StatisticKind]
    spelt = SYNONYMS.get(named, named) if isinstance(named, str) else named
    name = problems.choice(f"{path}.statistic", spelt, known, "statistic")
    if name is None:
        return None
    kind = StatisticKind(name)
    share = _share(path, body, problems)
    quantiles = _quantiles(path, kind, body, problems)
    clips = body.get("clip") is not None
    if clips and not kind.facts.can_be_clipped:
        problems.add(f"{path}.clip", not_clipped())
        return None
    if not kind.facts.takes_column:
        return _of_rows(path, kind, body.get("column"), share, problems)
    column = _column(path, kind, body.get("column"), schema, problems)
    if column is None:
        return None
    clip = read_clip(f"{path}.clip", body["clip"], column, schema, problems) if clips else None
    predictors = read_predictors(path, kind, body.get("predictors"), column, schema, problems)
    return Statistic(kind, column, quantiles, share, clip, predictors)


def _of_rows(
    path: str, kind: StatisticKind, column: object, share: str | None, problems: Problems
) -> Statistic | None:
    if column is None:
        return Statistic(kind, share=share)
    what = said(kind.facts.without_column)
    mended = said("To count where a column has a value, leave it out and filter with is_present.")
    problems.add(f"{path}.column", sentences(what, mended))
    return None


def _column(
    path: str, kind: StatisticKind, column: object, schema: DatasetSchema, problems: Problems
) -> str | None:
    if kind.facts.takes_any_column and column is not None:
        spec = read_column(f"{path}.column", column, schema, problems)
        if spec is not None and kind.facts.takes_two_values and not has_two_values(spec):
            problems.add(f"{path}.column", not_of_two(spec.name))
            return None
        return None if spec is None else spec.name
    return _numeric(path, kind, column, schema, problems)


def _numeric(
    path: str, kind: StatisticKind, column: object, schema: DatasetSchema, problems: Problems
) -> str | None:
    numeric = [c.name for c in schema.columns if isinstance(c.domain, NumericDomain)]
    dates = {c.name for c in schema.columns if isinstance(c.domain, DateDomain)}
    fits = kind.facts.quantity is Quantity.VALUE
    if isinstance(column, str) and column in numeric and (fits or column not in dates):
        return column
    what = said(kind.facts.name)
    message: str
    if isinstance(column, str) and column in dates:
        message = said(
            "“{column}” holds dates: they have a mean, a median, quantiles, a minimum and a "
            "maximum, and no {statistic}.",
            column=shortened(column),
            statistic=what,
        )
    elif isinstance(column, str) and schema.index_of(column) is not None:
        message = said(
            "“{column}” holds categories; a {statistic} needs a column of numbers.",
            column=shortened(column),
            statistic=what,
        )
    elif column is None:
        refusal = said("Choose a column for the {statistic}.", statistic=what)
        message = suggesting(refusal, None, numeric)
    else:
        refusal = said("Unknown column “{name}”.", name=shortened(column))
        message = suggesting(refusal, column, numeric)
    problems.add(f"{path}.column", message)
    return None


def _quantiles(
    path: str, kind: StatisticKind, body: Mapping[str, Any], problems: Problems
) -> tuple[str, ...]:
    raw = body.get("quantiles")
    if kind is not StatisticKind.QUANTILES:
        if raw is not None:
            message = said("Only the statistic “quantiles” takes a list of them.")
            problems.add(f"{path}.quantiles", message)
        return ()
    entries = problems.items(f"{path}.quantiles", raw, least=1, most=MAX_QUANTILES)
    read = [read_number(f"{path}.quantiles.{n}", q, problems) for n, q in enumerate(entries)]
    texts = [text for text in read if text is not None]
    for position, text in enumerate(texts):
        inside = 0 < Fraction(text) < 1
        if not inside or decimals_of(Fraction(text)) > _QUANTILE_DECIMALS:
            problems.add(
                f"{path}.quantiles.{position}",
                said(
                    "A quantile lies between 0 and 1, with at most {most} decimals. For the ends "
                    "ask for min or max.",
                    most=_QUANTILE_DECIMALS,
                ),
            )
    for position, (low, high) in enumerate(pairwise(texts), start=1):
        if Fraction(low) >= Fraction(high):
            problems.add(f"{path}.quantiles.{position}", said("Quantiles must rise."))
    return tuple(texts)


def _share(path: str, body: Mapping[str, Any], problems: Problems) -> str | None:
    raw = body.get("share")
    if raw is None:
        return None
    text = read_number(f"{path}.share", raw, problems)
    if text is not None and not 0 < Fraction(text) <= 1:
        problems.add(f"{path}.share", said("A share lies above 0 and is at most 1."))
        return None
    return text


def _check_shares(found: list[Statistic], problems: Problems) -> None:
    locked = [Fraction(s.share) for s in found if s.share is not None]
    free = len(found) - len(locked)
    if sum(locked) > 1 or (free and sum(locked) >= 1):
        problems.add(
            "statistics",
            said("The locked shares leave nothing for the other statistics.")
            if free
            else said("The locked shares add up to more than the whole."),
        )
