"""One grouping of a plan from JSON. Part of `parsing`; must never look at data."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import read_decimal
from dpgov.privacy.plan.parsing.where import read_category, read_column, read_number
from dpgov.privacy.plan.plan import Grouping
from dpgov.privacy.plan.problems import Problems, shortened
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema
from dpgov.privacy.plan.unit_sizes import ROWS_PER_UNIT, means_sizes

MAX_BINS = 1_000
_KEYS = ("column", "edges", "categories")


def read_grouping(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> Grouping | None:
    """A grouping by edges (numbers) or categories (all declared ones when left out)."""
    body = problems.mapping(path, raw, _KEYS)
    if body is None:
        return None
    if means_sizes(body.get("column"), schema):
        return _by_edges(path, ROWS_PER_UNIT, body, problems)
    spec = read_column(f"{path}.column", body.get("column"), schema, problems)
    if spec is None:
        return None
    if isinstance(spec.domain, CategoryDomain):
        return _by_categories(path, spec.name, spec.domain, body, problems)
    return _by_edges(path, spec.name, body, problems)


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


def _by_edges(path: str, name: str, body: Mapping[str, Any], problems: Problems) -> Grouping | None:
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
        read_number(f"{path}.edges.{position}", entry, problems)
        for position, entry in enumerate(entries)
    ]
    edges = tuple(edge for edge in read if edge is not None)
    if len(edges) < len(read):
        return None
    _check_ascending(path, edges, problems)
    return Grouping(name, edges=edges)


def _check_ascending(path: str, edges: tuple[str, ...], problems: Problems) -> None:
    for position, (low, high) in enumerate(pairwise(edges), start=1):
        if read_decimal(low) >= read_decimal(high):
            problems.add(
                f"{path}.edges.{position}",
                said(
                    "Edges must rise from one to the next, but {high} follows {low}.",
                    high=high,
                    low=low,
                ),
            )
