"""Declarations as rows of a spreadsheet: `column,type,from,to,step,values,missing`, both ways.

A column that the file does not have is computed, as its cell under `formula` says.

What stands in a cell goes into the form as it would be typed there, and is looked at there. Nothing
here has seen the file that is declared but the names of its columns.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import get_language, gettext

from dpgov.datasets.computed import as_cell, of_cell
from dpgov.datasets.importing.found import FoundColumn, FoundDeclarations, short
from dpgov.datasets.importing.tree import UnreadableMetadata
from dpgov.datasets.models import Column
from dpgov.privacy.plan.calendar import DateStep
from dpgov.web.spreadsheet import as_written, safe_text

HEADS = ("column", "type", "from", "to", "step", "values", "missing", "format", "time zone")
_FORMULA = "formula"
_FIELDS = {"from": "lower", "to": "upper", "format": "date_format", "time zone": "time_zone"}
_BOUNDS = ("from", "to", "step")
_LEFT_OUT = ("", "-", "left out")
# A heading is shorter than this; what is looked at of a line is bounded, whatever is sent.
_HEADING = 1_000


def are_rows(text: str) -> bool:
    """Whether the first line is the heading of such rows."""
    first = text.lstrip("\ufeff\r\n ").partition("\n")[0][:_HEADING]
    return _cell(next(iter(_split(first)), [""])[0]).casefold() == HEADS[0]


def read_rows(text: str, *, format_name: str) -> FoundDeclarations:
    """What the rows say; without a heading their cells are in the order of HEADS.

    Raises UnreadableMetadata where they are no rows at all.
    """
    try:
        rows = [row for row in _split(text.lstrip("\ufeff")) if any(map(_cell, row))]
    except csv.Error as problem:
        raise UnreadableMetadata(
            gettext("These are no rows: a quotation mark is not closed, or a cell is huge.")
        ) from problem
    heads: tuple[str, ...] = (*HEADS, _FORMULA)
    if rows and _cell(rows[0][0]).casefold() == HEADS[0]:
        heads = tuple(_cell(head).casefold() for head in rows.pop(0))
    if not rows:
        raise UnreadableMetadata(gettext("There is no row with a column in it."))
    found = FoundDeclarations(format_name, [])
    for head in heads:
        if head and head not in (*HEADS, _FORMULA):
            unknown = gettext("What stands under “{head}” is not read.")
            found.notes.append(unknown.format(head=short(head)))
    found.columns = [_column(dict(zip(heads, map(_cell, row), strict=False))) for row in rows]
    return found


def _split(text: str) -> Iterator[list[str]]:
    """Cells of a spreadsheet come with tabs, its files with commas or semicolons."""
    first = text.lstrip().partition("\n")[0]
    delimiter = "\t" if "\t" in first else max(",;", key=first.count)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _cell(text: str) -> str:
    """Without the apostrophes that keep a spreadsheet from running it."""
    return as_written(text.strip())


def _column(cells: Mapping[str, str]) -> FoundColumn:
    name = cells.get("column", "")
    column = FoundColumn(names=(name,))
    if cells.get(_FORMULA):
        return _computed(column, cells)
    column.fields["kind"] = _kind(column, cells)
    if not column.fields["kind"]:
        return column
    for head in ("from", "to", "step", "format", "time zone"):
        column.fields[_FIELDS.get(head, head)] = cells.get(head, "")
    if column.fields["kind"] == Column.Kind.DATE:
        _take_period(column, column.fields.pop("step").casefold())
    column.fields["categories"] = "\n".join(_values(cells.get("values", "")))
    _take_rule(column, cells.get("missing", ""))
    return column


def _computed(column: FoundColumn, cells: Mapping[str, str]) -> FoundColumn:
    column.is_computed = True
    formula = of_cell(_values(cells[_FORMULA]))
    if not formula:
        unknown = gettext("There is no formula {formula}: write it like bins | age | 18 | 65.")
        column.notes.append(unknown.format(formula=short(cells[_FORMULA])))
    column.fields |= {"name": column.names[0], **formula}
    column.fields |= {_FIELDS.get(head, head): cells.get(head, "") for head in _BOUNDS}
    column.fields["categories"] = "\n".join(_values(cells.get("values", "")))
    _take_rule(column, cells.get("missing", ""))
    return column


def _kind(column: FoundColumn, cells: Mapping[str, str]) -> str:
    """The type that is named; where none is, what the other cells can only mean."""
    said = cells.get("type", "").casefold()
    for kind in Column.Kind:
        if said in (kind.value, str(kind.label).casefold()):
            return kind.value
    if said in (*_LEFT_OUT, gettext("Left out").casefold()):
        if said == "" and cells.get("values"):
            return Column.Kind.CATEGORY.value
        is_number = said == "" and cells.get("from") and cells.get("to")
        return Column.Kind.NUMBER.value if is_number else ""
    column.notes.append(
        gettext("There is no type {type}: it is left out. Types are {types}.").format(
            type=short(said), types=", ".join(kind.value for kind in Column.Kind)
        )
    )
    return ""


def _take_period(column: FoundColumn, named: str) -> None:
    known = [step.value for step in DateStep]
    column.fields["period"] = named if named in known else DateStep.DAY.value
    if named and named not in known:
        unknown = gettext("There is no step {step} of dates: write one of {steps}.")
        column.notes.append(unknown.format(step=short(named), steps=", ".join(known)))


def _values(cell: str) -> list[str]:
    """One on each line of the cell, or between bars; of other lists the form asks."""
    parts = cell.splitlines() if "\n" in cell else cell.split("|")
    return [part.strip() for part in parts if part.strip()]


def _take_rule(column: FoundColumn, cell: str) -> None:
    said, _, value = cell.partition("=")
    named = {text.casefold(): rule.value for rule in Column.Missing for text in _names_of(rule)}
    known = named.get(said.strip().casefold() or Column.Missing.DROP.value)
    if known is None:
        column.notes.append(
            gettext("There is no rule {rule} for missing values: write drop or impute=0.").format(
                rule=short(cell)
            )
        )
        return
    column.fields |= {"missing": known, "impute": value.strip()}


def _names_of(rule: Column.Missing) -> tuple[str, str]:
    return rule.value, str(rule.label)


def template(
    headers: Sequence[str],
    typed: Mapping[str, Mapping[str, str]],
    computed: Sequence[Mapping[str, str]] = (),
) -> str:
    """A file to fill in: a row for each column of the table, with what is typed so far.

    Computed columns follow, and only with them there is a head for formulas.
    """
    more = [[_FORMULA], [""]] if computed else [[], []]
    written = io.StringIO(newline="")
    german = (get_language() or "").startswith("de")
    rows = csv.writer(written, delimiter=";" if german else ",")
    rows.writerow([*HEADS, *more[0]])
    rows.writerows([safe_text(name), *_row(typed.get(name, {})), *more[1]] for name in headers)
    rows.writerows(_computed_row(fields) for fields in computed)
    return "\ufeff" + written.getvalue()


def _computed_row(fields: Mapping[str, str]) -> list[str]:
    cells = [fields.get(field, "") for field in ("lower", "upper", "step")]
    cells += [_joined(fields), _rule(fields), "", ""]
    formula = safe_text(as_cell(fields))
    return [safe_text(fields.get("name", "")), "", *map(safe_text, cells), formula]


def _joined(fields: Mapping[str, str]) -> str:
    values = [line.strip() for line in fields.get("categories", "").splitlines() if line.strip()]
    return ("\n" if any("|" in value for value in values) else " | ").join(values)


def _rule(fields: Mapping[str, str]) -> str:
    rule = fields.get("missing", "")
    return f"{rule}={fields.get('impute', '')}" if rule == Column.Missing.IMPUTE else rule


def _row(fields: Mapping[str, str]) -> list[str]:
    kind = fields.get("kind", "")
    if not kind:
        return [""] * (len(HEADS) - 1)
    step = fields.get("period" if kind == Column.Kind.DATE else "step", "")
    cells = [kind, fields.get("lower", ""), fields.get("upper", ""), step, _joined(fields)]
    cells.append(_rule(fields))
    cells += [fields.get("date_format", ""), fields.get("time_zone", "")]
    return [safe_text(cell) for cell in cells]
