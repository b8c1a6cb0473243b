"""What a description says, put to the columns that the uploaded file has."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

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
            notes.append(f"{short(column.names[0])} is described, but not in the file.")
            continue
        if name in described:
            notes.append(f"{short(name)} is described twice: the first description counts.")
            continue
        described.add(name)
        if column.fields:
            columns[name] = column.fields
        notes += [f"{short(name)}: {note}" for note in column.notes]
    if dataset.get("private_id") not in (None, *headers):
        named = dataset.pop("private_id")
        notes.append(f"The person's column, {short(named)}, is not in the file: choose it.")
    missing = [short(name) for name in headers if name not in described]
    if missing:
        notes.append(f"Not described, and left out so far: {', '.join(missing)}.")
    return Filled(found.format, dataset, columns, notes[:_MOST_NOTES])


def _name_in(column: FoundColumn, headers: Sequence[str]) -> str | None:
    return next((name for name in column.names if name in headers), None)
