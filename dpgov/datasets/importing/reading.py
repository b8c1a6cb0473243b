"""From a file's bytes to what it says about columns, put to those that the uploaded file has."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from dpgov.datasets.importing.csvw import is_csvw, read_csvw
from dpgov.datasets.importing.found import FoundColumn, FoundDeclarations, short
from dpgov.datasets.importing.rows import are_rows, read_rows
from dpgov.datasets.importing.smartnoise import is_lomas, read_lomas, read_smartnoise
from dpgov.datasets.importing.tree import UnreadableMetadata, parse

LARGEST_BYTES = 200_000
_MOST_COLUMNS = 2_000


def read_metadata(content: bytes) -> FoundDeclarations:
    """What the file says. Raises UnreadableMetadata, with what to do."""
    if len(content) > LARGEST_BYTES:
        raise UnreadableMetadata(
            _("The file is larger than {kilobytes} KB.").format(kilobytes=LARGEST_BYTES // 1000)
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UnreadableMetadata(_("The file is not in UTF-8: save it as UTF-8 text.")) from problem
    if not text.strip():
        raise UnreadableMetadata(_("The file is empty."))
    found = _read(text)
    if len(found.columns) > _MOST_COLUMNS:
        raise UnreadableMetadata(
            _("The file describes more than {most} columns.").format(most=_MOST_COLUMNS)
        )
    return found


def _read(text: str) -> FoundDeclarations:
    if are_rows(text):
        return read_rows(text, format_name="CSV")
    tree = parse(text)
    if is_csvw(tree):
        return read_csvw(tree)
    return read_lomas(tree) if is_lomas(tree) else read_smartnoise(tree)


_MOST_NOTES = 200


@dataclass(frozen=True, slots=True)
class Filled:
    """The first contents of a registration form: `columns` by the file's names, and `notes`.

    `heading` says where they come from, where that is no file of this `format`. `computed` are
    columns that the file does not have, each with its formula.
    """

    format: str
    dataset: dict[str, str]
    columns: dict[str, dict[str, str]]
    notes: list[str]
    heading: str = ""
    computed: dict[str, dict[str, str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For the session."""
        return asdict(self)


def filled(found: FoundDeclarations, headers: Sequence[str], *, heading: str = "") -> Filled:
    """Each described column's fields under the name it has in the file; the rest is named.

    With a heading it is a part of the columns that was described, so the others are not named.
    """
    columns: dict[str, dict[str, str]] = {}
    computed: dict[str, dict[str, str]] = {}
    described: set[str] = set()
    notes, dataset = list(found.notes), dict(found.dataset)
    for column in found.columns:
        if column.is_computed:
            computed[column.names[0]] = column.fields
            notes += [f"{short(column.names[0])}: {note}" for note in column.notes]
            continue
        name = _name_in(column, headers)
        if name is None:
            described_only = _("{name} is described, but not in the file.")
            notes.append(described_only.format(name=short(column.names[0])))
            continue
        if name in described:
            twice = _("{name} is described twice: the first description counts.")
            notes.append(twice.format(name=short(name)))
            continue
        described.add(name)
        if column.fields:
            columns[name] = column.fields
        notes += [f"{short(name)}: {note}" for note in column.notes]
    if dataset.get("private_id") not in (None, *headers):
        named = dataset.pop("private_id")
        absent = _("The person's column, {name}, is not in the file: choose it.")
        notes.append(absent.format(name=short(named)))
    missing = [short(name) for name in headers if name not in described]
    if missing and not heading:
        left_out = _("Not described, and left out so far: {names}.")
        notes.append(left_out.format(names=", ".join(missing)))
    return Filled(found.format, dataset, columns, notes[:_MOST_NOTES], heading, computed)


def _name_in(column: FoundColumn, headers: Sequence[str]) -> str | None:
    return next((name for name in column.names if name in headers), None)
