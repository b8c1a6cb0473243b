"""Which stored answers make the cells of a plan: looked up by plans, never in an answer's numbers.

What an accepted question asked never changes, so a process reads each stored plan once; which
answers there are is asked of the database for every price.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from dpgov.datasets.models import DatasetVersion
from dpgov.operation.prepared import Prepared
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.answer.rounds import as_count
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.derived import stored_as
from dpgov.privacy.reuse.estimates import StoredAnswer, key_of
from dpgov.privacy.reuse.unions import union_of
from dpgov.queries.models import Query, Release

_CANDIDATES = 200
_SAME = 20
_PREPARED = 40
# Of one version's plans, so many are kept by a process; then it begins anew.
_KEPT = 1_000


class FreeSource(NamedTuple):
    """A stored answer whose cells make the asked ones, and the form of its question."""

    form: str
    stored: StoredAnswer


class _Candidate(NamedTuple):
    id: UUID
    cost_nano: int
    form: str


def _stored_answers(version_id: UUID) -> QuerySet[Query, Any]:
    """Answers that were paid for and published; never one that was itself made of others."""
    stored = Query.objects.filter(
        version=version_id,
        state=Query.State.RELEASED,
        reuse=False,
    ).exclude(canonical_sha256="")
    return stored.values_list("id", "cost_nano", "canonical_sha256")


@Prepared
def _newest(version_id: UUID) -> QuerySet[Query, Any]:
    return _stored_answers(version_id).order_by("-visible_at")[:_CANDIDATES]


@Prepared
def _dearest(version_id: UUID, form: str) -> QuerySet[Query, Any]:
    alike = _stored_answers(version_id).filter(canonical_sha256=form)
    return alike.order_by("-cost_nano")[:_SAME]


def sources_for(version: DatasetVersion, blueprint: Blueprint, form: str) -> list[FreeSource]:
    """Those whose cells make the asked ones, the dearest first."""
    candidates = _candidates(version.pk, form)
    plans = _shelf(version.pk, blueprint.schema).plans_of([one.id for one in candidates])
    found: list[FreeSource] = []
    for candidate in sorted(candidates, key=lambda one: -one.cost_nano):
        sources = plans[candidate.id].sources_of(blueprint.plan)
        found += [FreeSource(candidate.form, source) for source in sources]
        if len(found) >= _PREPARED:
            break
    return found[:_PREPARED]


def _candidates(version_id: UUID, form: str) -> list[_Candidate]:
    """The dearest of the same form, then the newest of any."""
    newest = [_Candidate(*row) for row in _newest(version_id)]
    if len(newest) < _CANDIDATES:
        # There are no others.
        same = sorted((one for one in newest if one.form == form), key=lambda one: -one.cost_nano)
    else:
        same = [_Candidate(*row) for row in _dearest(version_id, form)]
    return list(dict.fromkeys([*same[:_SAME], *newest]))


class _Shelf:
    """The stored plans of one version, as far as they were looked at under this schema."""

    def __init__(self, schema: DatasetSchema) -> None:
        self._schema = schema
        self._plans: dict[UUID, _StoredPlan] = {}

    def plans_of(self, ids: Collection[UUID]) -> Mapping[UUID, "_StoredPlan"]:
        """These and maybe more; what was not read before is read by one statement."""
        there = self._plans
        missing = [one for one in ids if one not in there]
        if not missing:
            return there
        rows = Query.objects.filter(pk__in=missing).values_list("pk", "plan")
        read = {key: _StoredPlan(key, plan, self._schema) for key, plan in rows}
        # Another thread may do the same meanwhile: each puts a whole new one in its place.
        self._plans = read if len(there) + len(read) > _KEPT else there | read
        return there | read


@lru_cache(maxsize=32)
def _shelf(_version_id: UUID, schema: DatasetSchema) -> _Shelf:
    return _Shelf(schema)


class _StoredPlan:
    """A stored plan, made ready for comparison when that is first needed."""

    def __init__(self, query_id: UUID, raw: dict[str, Any], schema: DatasetSchema) -> None:
        self._id, self._raw, self._schema = query_id, raw, schema
        self._groups = frozenset(group["column"] for group in raw["group_by"])
        self._columns = frozenset(
            name
            for statistic in raw["statistics"]
            for name in (statistic.get("column"), *statistic.get("predictors", ()))
        )

    def sources_of(self, asked: Plan) -> Iterator[StoredAnswer]:
        """None of a plan that would be refused today, or that does not fit; several of one whose
        tables were chosen in rounds.
        """
        if not self._may_fit(asked):
            return
        try:
            if self._plan.choosing is not None:
                yield from self._rounds(asked)
                return
            union = union_of(asked, self._plan, self._schema)
            if union is not None and self._blueprint.cells <= MAX_CELLS:
                yield StoredAnswer(str(self._id), self._blueprint, union)
        except InvalidPlan:
            return

    def _may_fit(self, asked: Plan) -> bool:
        """A quick look at the columns: groups and statistics that are asked for must be there."""
        return self._groups.issuperset(grouping.column for grouping in asked.group_by) and (
            self._columns.issuperset(s.column for s in asked.statistics if s.column is not None)
        )

    def _rounds(self, asked: Plan) -> Iterator[StoredAnswer]:
        """Each drawn table is a count of its own; which ones were is part of what was released."""
        for number, place in enumerate(_places(self._id)):
            count = as_count(self._blueprint, place)
            key = key_of(str(self._id), number)
            found = stored_as(key, count.plan, asked, self._blueprint.schema, count)
            yield from () if found is None else (found,)

    @cached_property
    def _plan(self) -> Plan:
        return parse_plan(self._raw, self._schema, dataset=self._raw["dataset"], stored=True)

    @cached_property
    def _blueprint(self) -> Blueprint:
        return prepare(self._plan, self._schema)


@lru_cache(maxsize=1024)
def _places(query_id: UUID) -> tuple[int, ...]:
    """Of a release, which never changes."""
    body = json.loads(Release.objects.get(query_id=query_id).body)
    return tuple(one["place"] for one in body["rounds"])
