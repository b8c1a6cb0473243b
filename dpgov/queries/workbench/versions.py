"""Answers of one question over the versions of its dataset, as one line.

Of released answers that the reader may see, and of their stored bodies alone; it costs nothing. The
newest answer of each version counts. A difference may come from the data or from the noise, which
the verdict beside it tells as far as that can be told.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import plotly.graph_objects as go
from django.db.models import Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber
from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.predicates import UnknownColumn
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.kinds import least_groups
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import PublicState, visible_queries, with_public_state
from dpgov.queries.wording.dots import shift_of
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis
from dpgov.queries.workbench.comparing import ComparedNumber, ComparedRow, compared
from dpgov.queries.workbench.declared import declared_alike
from dpgov.tenants.models import Membership

_MOST_READ = 200
# A live table that is refreshed every night has a version for each.
_MOST_DECLARED = 200
_MOST_VERSIONS = 20
_MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Version:
    """The newest answer of one version of the data."""

    number: int
    query_id: UUID
    at: datetime

    @property
    def href(self) -> str:
        """The page of that answer."""
        return reverse("queries:detail", args=[self.query_id])


@dataclass(frozen=True, slots=True)
class Versions:
    """The line, and the rows beside it: (version, the number of each line in it)."""

    label: str
    names: list[str]
    figure: Figure
    rows: list[tuple[Version, list[ComparedNumber]]]


def over_versions(membership: Membership, query: Query) -> Versions | None:
    """None where fewer than two versions have an answer, or there are too many groups for lines."""
    versions = [] if least_groups(query.plan) > _MOST_LINES else _versions(membership, query)
    if len(versions) < 2:
        return None
    bodies = dict(
        Release.objects.filter(query__in=[one.query_id for one in versions]).values_list(
            "query_id", "body"
        )
    )
    found = compared([json.loads(bodies[one.query_id]) for one in versions])
    lines = [row for row in found if row.label == found[0].label]
    if not lines or len(lines) > _MOST_LINES:
        return None
    return Versions(
        label=lines[0].label,
        names=[line.group or line.label for line in lines],
        figure=_figure(lines, versions),
        rows=[
            (version, [line.sides[place] for line in lines])
            for place, version in enumerate(versions)
        ],
    )


def _versions(membership: Membership, query: Query) -> list[Version]:
    """The oldest version first; of each its newest answer, or the one that is looked at.

    Of many the newest, and the one that is looked at among them.
    """
    newest = {query.version.number: Version(query.version.number, query.pk, query.submitted_at)}
    for other in _of_other_versions(membership, query):
        number = other.version.number
        newest.setdefault(number, Version(number, other.pk, other.submitted_at))
    found = sorted(newest.values(), key=lambda one: one.number)
    place = [one.query_id for one in found].index(query.pk)
    begin = min(place, max(0, len(found) - _MOST_VERSIONS))
    return found[begin : begin + _MOST_VERSIONS]


def _of_other_versions(membership: Membership, query: Query) -> Iterator[Query]:
    """Answers of the same question, the newest first.

    A form is of one declaration: where a version was declared otherwise, the same form may be
    another question and another form the same one. There both plans are read against both, and
    what they read has to be declared alike, or a difference would come from the declarations.
    """
    if not query.canonical_sha256:
        return
    whole = visible_queries(membership).filter(dataset=query.dataset_id)
    read = with_public_state(whole, PublicState.RELEASED).exclude(canonical_sha256="")
    declared = _declarations(read, query)
    mine = declared.pop(query.version_id)
    alike = [pk for pk, schema in declared.items() if _is_declared_alike(schema, mine)]
    of_form = read.filter(canonical_sha256=query.canonical_sha256, version__in=alike)
    yield from _newest(of_form, 1)
    told = {pk: one for pk, one in declared.items() if declared_alike(query.plan, mine, one)}
    others = [pk for pk in told if pk not in alike]
    for other in _newest(read.filter(version__in=others), _MOST_READ // max(1, len(others))):
        if _is_same(query, other, mine, told[other.version_id]):
            yield other


def _newest(answers: QuerySet[Query], most: int) -> QuerySet[Query]:
    """So many of each version, so that none is lost behind the answers of another one."""
    of_each = Window(RowNumber(), F("version"), [F("submitted_at").desc(), F("id").desc()])
    whole = answers.select_related(None).select_related("version").annotate(place=of_each)
    return whole.filter(place__lte=max(1, most))


def _declarations(read: QuerySet[Query], query: Query) -> dict[UUID, DatasetSchema]:
    """Of the newest versions that have answers, and of the one that is looked at.

    A refresh is declared as the version before, which is read once for all of them.
    """
    answered = Exists(read.order_by().filter(version=OuterRef("pk")))
    every = DatasetVersion.objects.filter(dataset=query.dataset_id).order_by("number")
    base, by = None, {}
    for pk, refresher, has_answers in every.values_list("pk", "refreshed_by", answered):
        base = pk if refresher is None else base
        if has_answers or pk == query.version_id:
            by[pk] = base
    by = dict(list(by.items())[-_MOST_DECLARED:]) | {query.version_id: by[query.version_id]}
    whole = DatasetVersion.objects.filter(pk__in=set(by.values())).prefetch_related("columns")
    found = whole.select_related("dataset__budget", "dataset__live")
    declared = {version.pk: schema_of(version) for version in found}
    return {pk: declared[its] for pk, its in by.items() if its is not None}


def _is_declared_alike(one: DatasetSchema, other: DatasetSchema) -> bool:
    return (one.columns, one.unit) == (other.columns, other.unit)


def _is_same(query: Query, other: Query, *declared: DatasetSchema) -> bool:
    """Whether both ask the same of each of these declarations."""
    plans = [json.dumps(one.plan, sort_keys=True) for one in (query, other)]
    forms = [[_form(plan, schema) for plan in plans] for schema in declared]
    return all(mine and mine == theirs for mine, theirs in forms)


@lru_cache(maxsize=4096)
def _form(text: str, schema: DatasetSchema) -> str:
    """What a stored plan asks of these declarations; empty where they do not allow it."""
    raw = json.loads(text)
    try:
        plan = parse_plan(raw, schema, dataset=raw["dataset"], stored=True)
        return canonical_sha256(plan, schema)
    except (InvalidPlan, UnknownColumn):
        return ""


def _figure(lines: Sequence[ComparedRow], versions: Sequence[Version]) -> Figure:
    traces = [_line(row, versions, place, len(lines)) for place, row in enumerate(lines)]
    axis = labelled_axis([str(one.number) for one in versions], _("Version of the data"))
    return as_figure(
        traces,
        showlegend=len(lines) > 1,
        xaxis=axis | {"range": [-0.5, len(versions) - 0.5]},
        yaxis={"title": {"text": inert(lines[0].label)}},
    )


def _line(row: ComparedRow, versions: Sequence[Version], place: int, lines: int) -> Any:
    """Only where there is a number: a version without one is a gap."""
    kept = [
        (at + shift_of(place, lines), side, version)
        for at, (side, version) in enumerate(zip(row.sides, versions, strict=True))
        if side.number is not None
    ]
    return go.Scatter(
        x=[at for at, _side, _version in kept],
        y=[side.number for _at, side, _version in kept],
        error_y={"type": "data", "array": [side.bound for _at, side, _v in kept], "width": 4},
        mode="lines+markers",
        marker={"size": 9},
        name=inert(row.group or row.label, 28),
        meta={"links": [version.href for _at, _side, version in kept]},
        customdata=[[inert(f"{side.value} {side.error}")] for _at, side, _version in kept],
        hovertemplate="%{customdata[0]}<extra>%{fullData.name}</extra>",
    )
