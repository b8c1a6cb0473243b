"""Metadata of SmartNoise SQL, and of Lomas, which has the same with a level less and some more.

Formats: docs.smartnoise.org/sql/metadata.html and the administration guide of Lomas.
"""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.datasets.importing.found import (
    FoundColumn,
    FoundDeclarations,
    as_category,
    as_date,
    as_number,
    as_truth,
    left_out,
    short,
)
from dpgov.datasets.importing.tree import Tree, UnreadableMetadata
from dpgov.privacy.plan.calendar import DateStep

_NOT_NEEDED = {
    "censor_dims": gettext_lazy("groups are always those that were declared"),
    "clamp_counts": gettext_lazy("noisy counts are released as they were drawn"),
    "clamp_columns": gettext_lazy("values are always clipped to the bounds"),
    "sample_max_ids": gettext_lazy("rows over a person's limit are always left out"),
    "use_dpsu": gettext_lazy("groups are always those that were declared"),
    "sensitivity": gettext_lazy("it follows from the bounds"),
    "precision": gettext_lazy("values are kept as whole numbers of steps"),
    "cardinality": gettext_lazy("the categories themselves are needed"),
    "nullable": gettext_lazy("missing values are allowed in every column"),
    "bounded": gettext_lazy("it follows from the bounds"),
    "max_partition_length": gettext_lazy("it is not used"),
    "max_partition_contributions": gettext_lazy("it is not used"),
    "max_influenced_partitions": gettext_lazy("the limit on groups is one for the whole dataset"),
}
_WITHOUT_A_WORD = {"cardinality", "nullable", "precision", "bounded", "name"}
_OF_TABLE = {"rows", "max_ids", "row_privacy"}
_OF_COLUMN = {"type", "lower", "upper", "categories", "private_id", "missing_value"}
_TRUE = {"true", "yes", "on", "1"}
_DEEPEST = 3


def is_lomas(tree: Tree) -> bool:
    """Whether columns stand under `columns`."""
    columns = tree.get("columns")
    return isinstance(columns, dict) and any(_is_column(each) for each in columns.values())


def read_lomas(tree: Tree) -> FoundDeclarations:
    """A Lomas table."""
    options = {name: value for name, value in tree.items() if name != "columns"}
    return _table("Lomas", options, tree["columns"])


def read_smartnoise(tree: Tree) -> FoundDeclarations:
    """The one table of a SmartNoise collection. Raises UnreadableMetadata for none or several."""
    tables = list(_tables(tree, 0))
    if not tables:
        raise UnreadableMetadata(
            _(
                "No description of columns was found. SmartNoise and Lomas files name a type for "
                "each column; CSVW files have a tableSchema."
            )
        )
    if len(tables) > 1:
        raise UnreadableMetadata(
            _("The file describes several tables: keep the one that is meant.")
        )
    options = {name: value for name, value in tables[0].items() if not _is_column(value)}
    columns = {name: value for name, value in tables[0].items() if _is_column(value)}
    return _table("SmartNoise", options, columns)


def _tables(part: Any, depth: int) -> Iterator[Tree]:
    if not isinstance(part, dict) or depth > _DEEPEST:
        return
    if any(_is_column(value) for value in part.values()):
        yield part
        return
    for value in part.values():
        yield from _tables(value, depth + 1)


def _is_column(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _table(name: str, options: Tree, columns: Tree) -> FoundDeclarations:
    found = FoundDeclarations(
        name, [_column(key, each) for key, each in columns.items() if _is_column(each)]
    )
    broken = [key for key, each in columns.items() if not _is_column(each)]
    untyped = _("{name} has no type and is left out.")
    found.notes += [untyped.format(name=short(key)) for key in broken]
    _take_unit(found, options)
    if options.get("rows"):
        found.notes.append(
            _(
                "The number of rows, {rows}, is not taken over, because it would become public. "
                "Type it in if it is public anyway."
            ).format(rows=short(options["rows"]))
        )
    found.notes += _unused(options, _OF_TABLE)
    return found


def _take_unit(found: FoundDeclarations, options: Tree) -> None:
    """Whose privacy: never less than what the file says."""
    ids = [column.names[0] for column in found.columns if column.is_private_id]
    most = str(options.get("max_ids") or "1").strip()
    by_row = _is_true(options.get("row_privacy"))
    if len(ids) > 1:
        found.notes.append(_("Several columns are named as the person's: choose one of them."))
    if len(ids) == 1 and not by_row:
        found.dataset |= {"unit": "person", "private_id": ids[0]}
        if "max_ids" not in options:
            found.notes.append(_("Nothing says how many rows a person may have: choose a number."))
            return
        found.dataset["max_rows_per_unit"] = most
    elif most.isdigit() and int(most) > 1:
        found.dataset["group_size"] = most
        found.notes.append(
            _(
                "A person may have {most} rows and no column says whose they are: the group size "
                "is set to {most}, so that they are protected together."
            ).format(most=most)
        )


def _column(name: str, body: Tree) -> FoundColumn:
    column = FoundColumn((name,), is_private_id=_is_true(body.get("private_id")))
    if column.is_private_id:
        return column
    kind = body["type"].strip().lower()
    lower, upper = (_scalar(body.get(bound)) for bound in ("lower", "upper"))
    listed = body.get("categories")
    if isinstance(listed, list) and listed:
        as_category(column, listed)
    elif kind in ("int", "float"):
        as_number(column, lower=lower, upper=upper, step="1" if kind == "int" else "")
    elif kind == "string":
        as_category(column, ())
    elif kind == "boolean":
        as_truth(column)
    elif kind in ("datetime", "date"):
        as_date(column, lower=lower, upper=upper, period=DateStep.DAY, layout="")
    else:
        left_out(column, kind)
    if column.fields and _scalar(body.get("missing_value")):
        column.fields |= {"missing": "impute", "impute": _scalar(body["missing_value"])}
    column.notes += _unused(body, _OF_COLUMN)
    return column


def _unused(options: Tree, used: set[str]) -> list[str]:
    notes = []
    for name in options:
        if name in used or name in _WITHOUT_A_WORD:
            continue
        reason = _NOT_NEEDED.get(name)
        notes.append(
            _("{name} is not needed: {reason}.").format(name=name, reason=reason)
            if reason
            else _("“{name}” is not known and not taken over.").format(name=short(name))
        )
    return notes


def _scalar(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return "" if text.lower() in ("null", "~", "none") else text


def _is_true(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in _TRUE
