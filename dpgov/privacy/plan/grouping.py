"""Groupings of a plan as bins of lattice codes, with their public names.

Bins come from the plan and the declared domain alone, so that their number, order and names never
depend on the data. Bins by edges are half-open, [e0, e1), but for the last, which holds its upper
edge too. One more bin, always the last, takes everything else, missing values included.
"""

from itertools import pairwise
from typing import Any

from dpgov.privacy.plan.plan import Grouping
from dpgov.privacy.plan.predicates import Range, at_least, at_most, place
from dpgov.privacy.plan.request import CodeGrouping
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, NumericDomain

REST = "other"
REST_WHEN_TAKEN = "everything else"


def code_grouping(grouping: Grouping, column: int, spec: ColumnSpec) -> CodeGrouping:
    """The bins over codes of column number `column`; an empty bin has its high below its low."""
    if isinstance(spec.domain, CategoryDomain):
        codes = [spec.domain.categories.index(name) for name in grouping.categories or ()]
        return CodeGrouping(column, tuple((code, code) for code in codes))
    return CodeGrouping(column, _edge_ranges(grouping.edges or (), spec.domain))


def _edge_ranges(edges: tuple[str, ...], domain: NumericDomain) -> tuple[Range, ...]:
    places = [place(edge, domain) for edge in edges]
    starts = [at_least(position) for position in places[:-1]]
    ends = [start - 1 for start in starts[1:]] + [at_most(places[-1])]
    return tuple(_within(*bounds, domain.top) for bounds in zip(starts, ends, strict=True))


def _within(low: int, high: int, top: int) -> Range:
    low, high = min(max(low, 0), top + 1), min(high, top)
    return (low, high) if low <= high else (low, low - 1)


def described(grouping: Grouping) -> dict[str, Any]:
    """The column and the names of its bins, in the order of an answer's cells."""
    names = _edge_names(grouping.edges) if grouping.edges else list(grouping.categories or ())
    taken = REST in (name.casefold() for name in names)
    return {"column": grouping.column, "bins": [*names, REST_WHEN_TAKEN if taken else REST]}


def _edge_names(edges: tuple[str, ...]) -> list[str]:
    names = [f"[{low}, {high})" for low, high in pairwise(edges)]
    return [*names[:-1], f"{names[-1][:-1]}]"]
