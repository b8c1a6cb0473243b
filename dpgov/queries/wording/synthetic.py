"""Synthetic rows as files: made of released tables that were asked together, and marked as such.

Post-processing of stored releases: no data, no chance and no budget. A file says in its name and in
its first line (its metadata) that no row is a person, in English whoever takes it.
"""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from django.utils.translation import gettext as _

from dpgov.privacy.answer.body import read_body
from dpgov.privacy.answer.fitting import Axis, ReleasedTable
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.privacy.reuse.synthetic import Synthetic, synthesise
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import PublicState, asked_together, public_state
from dpgov.queries.wording.downloads import file_name
from dpgov.web.pages import CSV
from dpgov.web.spreadsheet import safe_text

FORMATS = {"csv": CSV, "parquet": "application/vnd.apache.parquet"}


class NoTables(LookupError):
    """No released table: the question is no count by groups, or ended without an answer."""

    def __init__(self) -> None:
        super().__init__(_("Synthetic rows are made of counts by groups, once they are answered."))


class StillWaiting(LookupError):
    """Some of the tables that were asked together are not answered yet."""

    def __init__(self) -> None:
        super().__init__(_("Not all tables that were asked together are answered yet."))


def tables_together(query: Query) -> list[Query]:
    """Of the questions that were asked together with it, those that count the same rows by groups.

    Columns are in the same bins in all of them. Empty where it is no such count itself.
    """
    if not _counts_by_groups(query):
        return []
    groups = {one["column"]: one for one in query.plan["group_by"]}
    found = []
    for one in asked_together(query):
        if one.pk == query.pk or _fits(one, query.plan, groups):
            found.append(one)
            groups |= {group["column"]: group for group in one.plan["group_by"]}
    return found


def _counts_by_groups(query: Query) -> bool:
    plan = query.plan
    kinds = [one["statistic"] for one in plan["statistics"]]
    # Which rows of a unit are left out by a limit for each group follows from the groups.
    limited = plan.get("per_unit") is not None
    grouped = bool(plan.get("group_by")) and not limited
    own = not query.reuse and not query.is_joint
    return kinds == [StatisticKind.COUNT] and grouped and own


def _fits(query: Query, like: dict[str, Any], groups: dict[str, Any]) -> bool:
    """Whether it counts the same rows, and groups the columns of both in the same way."""
    return (
        _counts_by_groups(query)
        and query.plan.get("where") == like.get("where")
        and all(groups.get(one["column"], one) == one for one in query.plan["group_by"])
    )


@dataclass(frozen=True, slots=True)
class Made:
    """Synthetic rows, and the question that they are filed under."""

    query: Query
    rows: Synthetic

    def file_name(self, fmt: str) -> str:
        """Says that it is synthetic; safe in any header and on any disk."""
        return f"synthetic-{file_name(self.query)}.{fmt}"

    def as_file(self, fmt: str) -> bytes:
        """The bytes: the same for the same releases."""
        return _WRITERS[fmt](self)

    @property
    def mark(self) -> str:
        """What the file says first, in English for everybody."""
        return (
            "Synthetic rows: made of noisy counts, no row is a person. "
            f"{self.rows.rows} rows stand for {self.rows.stands_for} of {self.query.dataset.slug}."
        )


def made_of(query: Query) -> Made:
    """The rows; raises NoTables, StillWaiting, and TooManyCells."""
    together = tables_together(query)
    states = [public_state(one) for one in together]
    if PublicState.WAITING in states:
        raise StillWaiting
    released = [one for one, s in zip(together, states, strict=True) if s is PublicState.RELEASED]
    if not released:
        raise NoTables
    return Made(query, synthesise(_tables(released)))


def _tables(released: Sequence[Query]) -> list[ReleasedTable]:
    found = Release.objects.filter(query__in=released).order_by("query__idempotency_key", "pk")
    bodies = (read_body(release.body) for release in found)
    return [_table_of(one) for body in bodies for one in body.get("rounds", [body])]


def _table_of(body: dict[str, Any]) -> ReleasedTable:
    axes = tuple(Axis(g["column"], tuple(map(str, g["bins"]))) for g in body["groups"])
    (statistic,), (drawn,) = body["statistics"], body["draws"]
    values = np.array([cell["value"] for cell in statistic["cells"]], dtype=np.float64)
    noise = Noise(NoiseKind(drawn["mechanism"]), drawn["noise_scale"])
    return ReleasedTable(axes, values.reshape([len(axis.bins) for axis in axes]), noise.variance)


def _as_csv(made: Made) -> bytes:
    file = io.StringIO()
    file.write(f"# {made.mark}\n")
    writer = csv.writer(file)
    columns = [
        [safe_text(axis.bins[place]) for place in places.tolist()]
        for axis, places in made.rows.columns()
    ]
    writer.writerow([safe_text(axis.column) for axis in made.rows.axes])
    writer.writerows(zip(*columns, strict=True))
    return file.getvalue().encode()


def _as_parquet(made: Made) -> bytes:
    columns = {
        axis.column: pa.DictionaryArray.from_arrays(
            pa.array(places, pa.int32()), pa.array(axis.bins, pa.string())
        )
        for axis, places in made.rows.columns()
    }
    table = pa.table(columns).replace_schema_metadata({"synthetic": "true", "about": made.mark})
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


_WRITERS: dict[str, Callable[[Made], bytes]] = {"csv": _as_csv, "parquet": _as_parquet}
