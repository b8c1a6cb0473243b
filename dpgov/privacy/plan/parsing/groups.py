"""The groupings of a plan from JSON. Part of `parsing`; must never look at data."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.by_calendar import PARTS, CalendarPart, how_many, how_many_ranges, names_of
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.grouping import SIZES, means_sizes
from dpgov.privacy.plan.parsing.where import (
    rank_of,
    read_category,
    read_column,
    read_date,
    read_number,
)
from dpgov.privacy.plan.plan import Grouping, Plan
from dpgov.privacy.plan.problems import Problems, shortened
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema, DateDomain

MAX_BINS = 1_000
# Months of 166 years: each row is looked for among them.
MAX_RANGES = 2_000
# Of what a week may be partly in one, and partly in the next.
_STRADDLED = frozenset(part.value for part in PARTS[DateStep.MONTH])
_GROUPING_KEYS = ("column", "edges", "categories", "by")


def read_grouping(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> Grouping | None:
    """A grouping by edges (numbers) or categories (all declared ones when left out)."""
    body = problems.mapping(path, raw, _GROUPING_KEYS)
    if body is None:
        return None
    if means_sizes(body.get("column"), schema):
        return _by_edges(path, SIZES, body, problems)
    spec = read_column(f"{path}.column", body.get("column"), schema, problems)
    if spec is None:
        return None
    if isinstance(spec.domain, CategoryDomain):
        return _by_categories(path, spec.name, spec.domain, body, problems)
    if isinstance(spec.domain, DateDomain) and body.get("edges") is None:
        return _by_calendar(path, spec.name, spec.domain, body, problems)
    return _by_edges(path, spec, body, problems)


def _by_calendar(
    path: str, name: str, domain: DateDomain, body: Mapping[str, Any], problems: Problems
) -> Grouping | None:
    raw = body.get("by")
    if raw not in [part.value for part in PARTS[domain.unit]]:
        problems.add(f"{path}.by", _no_such_part(name, domain.unit, raw))
        return None
    part = CalendarPart(raw)
    if how_many(part, domain) > MAX_BINS:
        message = said(
            "By {part} there are more than {most} groups; choose a longer one.",
            part=part.value,
            most=MAX_BINS,
        )
        problems.add(f"{path}.by", message)
        return None
    if how_many_ranges(part, domain) > MAX_RANGES:
        message = said(
            "“{column}” is declared over more than {most} of these; group it by year.",
            column=shortened(name),
            most=MAX_RANGES,
        )
        problems.add(f"{path}.by", message)
        return None
    return Grouping(name, categories=names_of(part, domain), by=part.value)


def _no_such_part(name: str, step: DateStep, raw: object) -> str:
    if step is DateStep.WEEK and isinstance(raw, str) and raw in _STRADDLED:
        return said(
            "“{column}” counts weeks, and a week can begin in one month or year and end in the "
            "next: group it by week, or give edges.",
            column=shortened(name),
        )
    return said(
        "Group “{column}” by {parts}, or give edges, like [2024-01, 2024-07].",
        column=shortened(name),
        parts=", ".join(part.value for part in PARTS[step]),
    )


def _by_categories(
    path: str, name: str, domain: CategoryDomain, body: Mapping[str, Any], problems: Problems
) -> Grouping | None:
    if body.get("edges") is not None:
        message = said("“{column}” holds categories; it has no edges.", column=shortened(name))
        problems.add(f"{path}.edges", message)
        return None
    raw = body.get("categories")
    if raw is None:
        return Grouping(name, categories=domain.categories)
    entries = problems.items(f"{path}.categories", raw, least=1, most=MAX_BINS)
    chosen: list[str] = []
    for position, entry in enumerate(entries):
        where = f"{path}.categories.{position}"
        category = read_category(where, entry, domain, problems)
        if category in chosen:
            problems.add(where, said("“{name}” is there twice.", name=shortened(category)))
        elif category is not None:
            chosen.append(category)
    return Grouping(name, categories=tuple(chosen))


def _by_edges(
    path: str, spec: ColumnSpec, body: Mapping[str, Any], problems: Problems
) -> Grouping | None:
    name, dates = spec.name, isinstance(spec.domain, DateDomain)
    if body.get("by") is not None:
        message = said("Only dates are grouped by the calendar, and then without edges.")
        problems.add(f"{path}.by", message)
        return None
    if body.get("categories") is not None:
        problems.add(
            f"{path}.categories",
            said("“{column}” holds numbers; group it with edges instead.", column=shortened(name)),
        )
        return None
    if body.get("edges") is None:
        problems.add(f"{path}.edges", said("Give at least two edges, like [0, 20, 40]."))
        return None
    entries = problems.items(f"{path}.edges", body["edges"], least=2, most=MAX_BINS + 1)
    read = [
        (read_date if dates else read_number)(f"{path}.edges.{position}", entry, problems)
        for position, entry in enumerate(entries)
    ]
    edges = tuple(edge for edge in read if edge is not None)
    if len(edges) < len(read):
        return None
    _check_ascending(path, edges, spec, problems)
    return Grouping(name, edges=edges, numeric=not dates)


def _check_ascending(
    path: str, edges: tuple[str, ...], spec: ColumnSpec, problems: Problems
) -> None:
    ranked = [(rank_of(edge, spec), edge) for edge in edges]
    for position, ((before, low), (after, high)) in enumerate(pairwise(ranked), start=1):
        if before >= after:
            problems.add(
                f"{path}.edges.{position}",
                said(
                    "Edges must rise from one to the next, but {high} follows {low}.",
                    high=high,
                    low=low,
                ),
            )


def check_along(plan: Plan, problems: Problems) -> None:
    """Whatever adds up along the last groups needs edges in each of them."""
    for along in sorted({one.kind.facts.along for one in plan.statistics} - {0}):
        last = plan.group_by[-along:]
        if len(last) < along or not all(group.edges for group in last):
            problems.add("group_by", _not_along(along))


def _not_along(groups: int) -> str:
    if groups == 1:
        return said(
            "A cumulative distribution runs along a column of numbers or dates: give it as the "
            "last group, with its edges."
        )
    return said(
        "A joint cumulative distribution runs along two columns of numbers or dates: give them "
        "as the last two groups, with their edges."
    )
