"""Rows that are added to those of the newest version, which are not sent again.

The next version is what is stored of that one, as it is, and the new rows after it. How many rows
there are, which people, and whether a row is there already shows in what becomes of the file, so
only whoever brought all of that may add to it. Must never read a raw row of before, nor change what
of them was stored.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.likeness import Match
from dpgov.datasets.services.stored.seals import is_kept_as_recorded
from dpgov.engines.ingest.request import Before, other_of
from dpgov.engines.likeness import Likeness
from dpgov.language.said import said
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    InvalidDomain,
    Neighbouring,
)
from dpgov.tenants.models import User

_PUBLIC_NUMBER = said(
    "The number of people of this dataset is public and has to stay, so no rows can be added. Add "
    "a version with all rows, or register them as a dataset of their own."
)
_LIVE = said("A live table has its rows in its own server: what is added there, is there.")
_OTHERS_ROWS = said(
    "Someone else brought the rows that are there, and only they can add to them. Add a version "
    "with all rows."
)
_OTHER_DOMAINS = said(
    "New rows need the columns that are there, declared as they are. New categories may follow the "
    "others. For anything else add a version with all rows."
)
_OTHER_PUBLIC_TABLE = said(
    "New rows need the same public table as the rows that are there, joined in the same way, or "
    "none where there is none. With another one add a version with all rows."
)
_MISSING = said(
    "The rows that are there are not on this machine, so none can be added to them. Ask the people "
    "who run this installation to put the file back."
)
_CHANGED = said(
    "Another version came while the new rows were read. Look at it, and add the rows again."
)
_THERE_ALREADY = said(
    "Most of these rows are there already, and would count twice. Leave them out, or add a version "
    "with all rows."
)
_SAME_PEOPLE = said(
    "These rows resemble those that are there, and each row counts as a person of its own: anyone "
    "who is in both would count twice. Add a version with all rows."
)


def why_not_append(newest: DatasetVersion, user: User) -> str:
    """Why this person cannot add rows to a dataset's newest version; empty where they can.

    By what is public, and by who brought it, never by data.
    """
    if newest.file_seal == DatasetVersion.LIVE:
        return _LIVE
    if newest.dataset.neighbouring == Neighbouring.CHANGE_ONE:
        return _PUBLIC_NUMBER
    return "" if newest.added_by_id == user.pk else _OTHERS_ROWS


def check_appending(
    dataset: Dataset,
    columns: tuple[ColumnSpec, ...],
    user: User,
    joined: Mapping[str, Any] | None = None,
) -> DatasetVersion:
    """The version that rows are added to. `joined` is the public table beside the new ones.

    Raises InvalidDomain for what can be seen without reading anything.
    """
    newest = current_version(dataset)
    if words := why_not_append(newest, user):
        raise InvalidDomain("columns", words)
    if _told_apart(newest.joined) != _told_apart(joined or {}):
        raise InvalidDomain("columns", _OTHER_PUBLIC_TABLE)
    declared = {spec.name: spec for spec in schema_of(newest).columns}
    if set(declared) != {spec.name for spec in columns}:
        raise InvalidDomain("columns", _OTHER_DOMAINS)
    if not all(_goes_on(declared[spec.name], spec) for spec in columns):
        raise InvalidDomain("columns", _OTHER_DOMAINS)
    return newest


def _told_apart(joined: Mapping[str, Any]) -> dict[str, Any]:
    """What the rows depend on: everything but what the table is called."""
    return {name: value for name, value in joined.items() if name != "name"}


def _goes_on(before: ColumnSpec, now: ColumnSpec) -> bool:
    """What was stored means the same under both, and what is computed is computed alike."""
    if before.formula != now.formula:
        return False
    if isinstance(before.domain, CategoryDomain) and isinstance(now.domain, CategoryDomain):
        names = before.domain.categories
        if now.domain.categories[: len(names)] != names:
            return False
    elif before.domain != now.domain:
        return False
    return (before.missing, before.impute_code) == (now.missing, now.impute_code)


def rows_of(version: DatasetVersion, schema: DatasetSchema) -> Before:
    """Its stored rows, and where the columns of `schema` are there; raises InvalidDomain."""
    path = storage.data_path(version.pk)
    if not is_kept_as_recorded(version):
        raise InvalidDomain("columns", _MISSING)
    there = {spec.name: (at, spec) for at, spec in enumerate(schema_of(version).columns)}
    found = (there[spec.name] for spec in schema.columns)
    return Before(str(path), tuple((at, other_of(spec)) for at, spec in found))


def check_appended(dataset: Dataset, to: DatasetVersion, new: Iterable[Match]) -> None:
    """As it is about to be recorded, in the caller's transaction; raises InvalidDomain.

    `new` is what the new rows resemble of what the same person brought. The rows of people whom a
    column names may resemble earlier ones of theirs, as long as they are not the same rows.
    """
    if current_version(dataset).pk != to.pk:
        raise InvalidDomain("columns", _CHANGED)
    found = {match.likeness for match in new if match.dataset_id == dataset.pk}
    if found & {Likeness.EXACT, Likeness.ROWS}:
        raise InvalidDomain("columns", _THERE_ALREADY)
    if found and not dataset.private_id:
        raise InvalidDomain("columns", _SAME_PEOPLE)
