"""What stored answers already say of a plan: offered for nothing, never taken by itself.

A function of plans, stored releases and public metadata; never of data. Every answer whose time has
come counts, whoever asked: it is public within the tenant. Who asked is never shown.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from uuid import UUID

from django.db.models import QuerySet

from dpgov.datasets.models import DatasetVersion
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.answer.rounds import as_count
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.derived import Derivation, derive, stored_as
from dpgov.privacy.reuse.estimates import Columns, Stored, key_of
from dpgov.privacy.reuse.unions import union_of
from dpgov.queries.models import Query, Release

_CANDIDATES = 200
_SAME = 20
_PREPARED = 40
_NEW = "new"
_READ = ("id", "plan", "cost_nano", "canonical_sha256")
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
    derivation: Derivation
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
    sources = _sources(version, blueprint, form)
    if not sources:
        return NOTHING_STORED
    # Nobody knows how rows fall into groups: an average over them is no error of any.
    rows = None if blueprint.plan.group_by else blueprint.rows_in_a_cell(assumed_rows)
    free = [
        FreeAnswer(origin, found, found.expected(rows))
        for origin, found in _origins(
            blueprint, [source for _, source in sources], [s for f, s in sources if f == form]
        )
    ]
    return Reusable(tuple(free), _with_new(blueprint, [s for _, s in sources], rows))


_Source = tuple[str, Stored]


def _origins(
    blueprint: Blueprint, sources: Sequence[Stored], same: Sequence[Stored]
) -> list[tuple[Origin, Derivation]]:
    """The best of each kind, the most exact first; what takes more only where it is better.

    None put together of a live table: each is of another moment, and their average of neither.
    """
    others = [source for source in sources if source not in same]
    found: list[tuple[Origin, Derivation]] = []
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


def _best(blueprint: Blueprint, sources: Sequence[Stored]) -> Derivation | None:
    """Out of one stored answer."""
    found = [derive(blueprint.plan, blueprint.schema, [s], together=False) for s in sources]
    return min((one for one in found if one is not None), key=_noise, default=None)


def _wins(pooled: Derivation, others: Sequence[Derivation]) -> bool:
    return all(_noise(pooled) < _noise(one) + math.log(_BETTER) for one in others)


def _noise(derivation: Derivation) -> float:
    """The mean logarithm of its statistics' noises: to compare answers to one plan."""
    logs = [math.log(max(part.deviation, 1e-300)) for part in derivation.parts]
    return sum(logs) / len(logs)


def _with_new(blueprint: Blueprint, sources: Sequence[Stored], rows: int | None) -> Columns | None:
    """Counts and sums get better by what is stored; None where nothing does."""
    plan, schema = blueprint.plan, blueprint.schema
    union = None if schema.is_live else union_of(plan, plan, schema)
    if union is None:
        return None
    asked = Stored(_NEW, blueprint, union)
    alone = derive(plan, schema, [asked], together=True)
    pooled = derive(plan, schema, [asked, *sources], together=True)
    if alone is None or pooled is None or not _wins(pooled, [alone]):
        return None
    return pooled.expected(rows) if _NEW in pooled.keys else None


def _sources(version: DatasetVersion, blueprint: Blueprint, form: str) -> list[_Source]:
    """Stored answers whose cells make the asked ones, those that cost most first."""
    found: dict[str, Query] = {}
    stored = stored_answers(version)
    for query in [*_same_form(stored, form), *_newest(stored)]:
        if _may_fit(query, blueprint):
            found.setdefault(str(query.pk), query)
    dearest = sorted(found.values(), key=lambda query: -query.cost_nano)
    sources: list[_Source] = []
    for query in dearest:
        sources += [(query.canonical_sha256, source) for source in _of_query(query, blueprint)]
        if len(sources) >= _PREPARED:
            break
    return sources[:_PREPARED]


def _of_query(query: Query, blueprint: Blueprint) -> Iterator[Stored]:
    """None of a plan that would be refused today, or that does not fit; several of one whose tables
    were chosen in rounds.
    """
    schema, key = blueprint.schema, str(query.pk)
    try:
        plan = _read(json.dumps(query.plan), schema)
        if plan.choosing is not None:
            yield from _of_rounds(query, prepare(plan, schema), blueprint.plan)
        elif union_of(blueprint.plan, plan, schema) is not None:
            found = stored_as(key, plan, blueprint.plan, schema, prepare(plan, schema))
            yield from () if found is None else (found,)
    except InvalidPlan:
        return


def _of_rounds(query: Query, stored: Blueprint, asked: Plan) -> Iterator[Stored]:
    """Each drawn table is a count of its own; which ones were is part of what was released."""
    for number, place in enumerate(_places(query.pk)):
        count = as_count(stored, place)
        key = key_of(str(query.pk), number)
        found = stored_as(key, count.plan, asked, stored.schema, count)
        yield from () if found is None else (found,)


@lru_cache(maxsize=1024)
def _places(query_id: UUID) -> tuple[int, ...]:
    """Of a release, which never changes."""
    body = json.loads(Release.objects.get(query_id=query_id).body)
    return tuple(one["place"] for one in body["rounds"])


@lru_cache(maxsize=4096)
def _read(text: str, schema: DatasetSchema) -> Plan:
    """A stored plan; the same ones are looked at for every price."""
    raw = json.loads(text)
    return parse_plan(raw, schema, dataset=raw["dataset"], stored=True)


def _may_fit(query: Query, blueprint: Blueprint) -> bool:
    """A quick look at the columns: groups and statistics that are asked for must be there."""
    groups = {group["column"] for group in query.plan["group_by"]}
    columns = {
        name
        for statistic in query.plan["statistics"]
        for name in (statistic.get("column"), *statistic.get("predictors", ()))
    }
    asked = blueprint.plan
    return groups.issuperset(grouping.column for grouping in asked.group_by) and (
        columns.issuperset(s.column for s in asked.statistics if s.column is not None)
    )


def stored_answers(version: DatasetVersion) -> QuerySet[Query]:
    """Answers that were paid for and published; never one that was itself made of others."""
    return Query.objects.filter(
        version=version,
        state=Query.State.RELEASED,
        reuse=False,
    ).exclude(canonical_sha256="")


def _same_form(stored: QuerySet[Query], form: str) -> list[Query]:
    same = stored.filter(canonical_sha256=form).order_by("-cost_nano")
    return list(same.only(*_READ)[:_SAME])


def _newest(stored: QuerySet[Query]) -> list[Query]:
    newest = stored.order_by("-visible_at")
    return list(newest.only(*_READ)[:_CANDIDATES])
