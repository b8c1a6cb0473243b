"""What stored answers already say of a plan: offered for nothing, never taken by itself.

A function of plans, stored releases and public metadata; never of data. Every answer whose time has
come counts, whoever asked: it is public within the tenant. Who asked is never shown.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpgov.datasets.models import DatasetVersion
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.reuse.derived import PlanReuse, derive
from dpgov.privacy.reuse.estimates import Columns, StoredAnswer
from dpgov.privacy.reuse.unions import union_of
from dpgov.queries.free.stored import sources_for

_NEW = "new"
# What putting answers together must win, as a factor, to be worth a line.
_BETTER = 0.98


class Origin(StrEnum):
    """How a free answer comes about."""

    IDENTICAL = "identical"
    DERIVED = "derived"
    COMBINED = "combined"


@dataclass(frozen=True, slots=True, eq=False)
class FreeAnswer:
    """An answer that is at hand; `expected` says of each column how exact it is."""

    origin: Origin
    derivation: PlanReuse
    expected: Columns

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the questions whose answers it is made of."""
        return self.derivation.questions

    @property
    def choice(self) -> str:
        """A name for it, the same as long as nothing better comes."""
        return hashlib.sha256(" ".join((self.origin, *self.derivation.keys)).encode()).hexdigest()[
            :16
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Reusable:
    """Everything that stored answers do for a plan: what is free, the most exact first.

    `with_new` is what to expect of asking and then putting the new answer together with stored
    ones; empty where that wins nothing.
    """

    free: tuple[FreeAnswer, ...] = ()
    with_new: Columns | None = None


NOTHING_STORED = Reusable()


def reusable_for(
    version: DatasetVersion, blueprint: Blueprint, *, assumed_rows: int | None = None
) -> Reusable:
    """The free answers to a priced plan on this version; none of more cells than one waits for."""
    if blueprint.cells > MAX_CELLS:
        return NOTHING_STORED
    form = canonical_sha256(blueprint.plan, blueprint.schema)
    sources = sources_for(version, blueprint, form)
    if not sources:
        return NOTHING_STORED
    # Nobody knows how rows fall into groups: an average over them is no error of any.
    rows = None if blueprint.plan.group_by else blueprint.rows_in_a_cell(assumed_rows)
    free = [
        FreeAnswer(origin, found, found.expected(rows))
        for origin, found in _origins(
            blueprint,
            [source.stored for source in sources],
            [source.stored for source in sources if source.form == form],
        )
    ]
    return Reusable(tuple(free), _with_new(blueprint, [s.stored for s in sources], rows))


def _origins(
    blueprint: Blueprint, sources: Sequence[StoredAnswer], same: Sequence[StoredAnswer]
) -> list[tuple[Origin, PlanReuse]]:
    """The best of each kind, the most exact first; what takes more only where it is better.

    None put together of a live table: each is of another moment, and their average of neither.
    """
    others = [source for source in sources if source not in same]
    found: list[tuple[Origin, PlanReuse]] = []
    for origin, some in ((Origin.IDENTICAL, same), (Origin.DERIVED, others)):
        best = _best(blueprint, some)
        if best is not None and all(_noise(best) < _noise(one) for _, one in found):
            found.append((origin, best))
    if blueprint.schema.is_live:
        return found[::-1]
    pooled = derive(blueprint.plan, blueprint.schema, sources, together=True)
    if pooled is not None and len(pooled.keys) > 1 and _wins(pooled, [one for _, one in found]):
        found.append((Origin.COMBINED, pooled))
    return found[::-1]


def _best(blueprint: Blueprint, sources: Sequence[StoredAnswer]) -> PlanReuse | None:
    """Out of one stored answer."""
    found = [derive(blueprint.plan, blueprint.schema, [s], together=False) for s in sources]
    return min((one for one in found if one is not None), key=_noise, default=None)


def _wins(pooled: PlanReuse, others: Sequence[PlanReuse]) -> bool:
    return all(_noise(pooled) < _noise(one) + math.log(_BETTER) for one in others)


def _noise(derivation: PlanReuse) -> float:
    """The mean logarithm of its statistics' noises: to compare answers to one plan."""
    logs = [math.log(max(part.deviation, 1e-300)) for part in derivation.parts]
    return sum(logs) / len(logs)


def _with_new(
    blueprint: Blueprint, sources: Sequence[StoredAnswer], rows: int | None
) -> Columns | None:
    """Counts and sums get better by what is stored; None where nothing does."""
    plan, schema = blueprint.plan, blueprint.schema
    union = None if schema.is_live else union_of(plan, plan, schema)
    if union is None:
        return None
    asked = StoredAnswer(_NEW, blueprint, union)
    alone = derive(plan, schema, [asked], together=True)
    pooled = derive(plan, schema, [asked, *sources], together=True)
    if alone is None or pooled is None or not _wins(pooled, [alone]):
        return None
    return pooled.expected(rows) if _NEW in pooled.keys else None
