"""What a description says, put to the columns that the uploaded file has."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from dpgov.datasets.importing.found import Found, FoundColumn, short

_MOST_NOTES = 200


@dataclass(frozen=True, slots=True)
class Filled:
    """The first contents of a registration form: `columns` by the file's names, and `notes`."""

    format: str
    dataset: dict[str, str]
    columns: dict[str, dict[str, str]]
    notes: list[str]

    def as_json(self) -> dict[str, Any]:
        """For the session."""
        return asdict(self)


def filled(found: Found, headers: Sequence[str]) -> Filled:
    """Each described column's fields under the name it has in the file; the rest is named."""
    columns: dict[str, dict[str, str]] = {}
    described: set[str] = set()
    notes, dataset = list(found.notes), dict(found.dataset)
    for column in found.columns:
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
    if missing:
        left_out = _("Not described, and left out so far: {names}.")
        notes.append(left_out.format(names=", ".join(missing)))
    return Filled(found.format, dataset, columns, notes[:_MOST_NOTES])


def _name_in(column: FoundColumn, headers: Sequence[str]) -> str | None:
    return next((name for name in column.names if name in headers), None)
