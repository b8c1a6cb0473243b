"""Metadata for tabular data, CSVW: JSON about the columns of a CSV file.

Formats: W3C, Metadata Vocabulary for Tabular Data and Model for Tabular Data, 2015.
"""

import re
from typing import Any

from django.utils.translation import gettext as _

from dpgov.datasets.importing.found import (
    FoundColumn,
    FoundDeclarations,
    as_category,
    as_date,
    as_number,
    as_truth,
    choices_of,
    left_out,
    short,
)
from dpgov.datasets.importing.tree import Tree, UnreadableMetadata
from dpgov.privacy.plan.calendar import DateStep

# Whole numbers with the bounds that their type implies.
_WHOLE: dict[str, tuple[str, str]] = {
    "integer": ("", ""),
    "long": ("", ""),
    "int": ("", ""),
    "short": ("", ""),
    "byte": ("-128", "127"),
    "nonNegativeInteger": ("0", ""),
    "positiveInteger": ("1", ""),
    "negativeInteger": ("", "-1"),
    "nonPositiveInteger": ("", "0"),
    "unsignedLong": ("0", ""),
    "unsignedInt": ("0", ""),
    "unsignedShort": ("0", "65535"),
    "unsignedByte": ("0", "255"),
    "gYear": ("", ""),
}
# With the step that the type implies; clocks are rounded to hours.
_DATES = {
    "date": DateStep.DAY,
    "dateTime": DateStep.HOUR,
    "datetime": DateStep.HOUR,
    "dateTimeStamp": DateStep.HOUR,
    "gYearMonth": DateStep.MONTH,
}
_DECIMAL = {"decimal", "number", "double", "float"}
_TEXT = {
    "string", "normalizedString", "token", "language", "Name", "NMTOKEN", "anyURI", "any",
    "anyAtomicType",
}  # fmt: skip
_LOWER, _UPPER = ("minimum", "minInclusive"), ("maximum", "maxInclusive")
_PATTERN = re.compile(r"[#0,]*[0]?(?:\.([0#]+))?%?")


def is_csvw(tree: Tree) -> bool:
    """Whether it describes a table in CSVW's way."""
    return "tableSchema" in tree or isinstance(tree.get("tables"), list)


def read_csvw(tree: Tree) -> FoundDeclarations:
    """The one table. Raises UnreadableMetadata for several, or for one without columns."""
    table = _one_table(tree)
    schema = table.get("tableSchema")
    columns = schema.get("columns") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(columns, list):
        raise UnreadableMetadata(_("The tableSchema lists no columns."))
    found = FoundDeclarations("CSVW", [])
    usual = schema.get("datatype") or table.get("datatype") or tree.get("datatype") or "string"
    for place, body in enumerate(columns, start=1):
        names = _names(body) if isinstance(body, dict) else ()
        if not names:
            found.notes.append(
                _("Column {place} has neither a name nor a title.").format(place=place)
            )
        elif str(body.get("virtual")) != "true":
            found.columns.append(_column(names, body, usual))
    if schema.get("primaryKey"):
        found.notes.append(
            _(
                "The primaryKey is not taken over. If it names a person who can have several "
                "rows, choose it as the column that names the person."
            )
        )
    if schema.get("foreignKeys"):
        found.notes.append(_("The foreignKeys are not taken over: a dataset is one table."))
    return found


def _one_table(tree: Tree) -> Tree:
    tables = tree.get("tables")
    if not isinstance(tables, list):
        return tree
    if len(tables) != 1 or not isinstance(tables[0], dict):
        raise UnreadableMetadata(
            _("The file describes several tables: keep the one that is meant.")
        )
    return tables[0]


def _names(body: Tree) -> tuple[str, ...]:
    """Titles are what stands in the first line of the file; a name is for use elsewhere."""
    titles = body.get("titles")
    if isinstance(titles, dict):
        titles = [each for some in titles.values() for each in _listed(some)]
    found = [str(each).strip() for each in (*_listed(titles), *_listed(body.get("name")))]
    return tuple(dict.fromkeys(name for name in found if name))


def _listed(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value] if value else []
    return [each for each in values if isinstance(each, str)]


def _column(names: tuple[str, ...], body: Tree, usual: Any) -> FoundColumn:
    column = FoundColumn(names)
    datatype = body.get("datatype") or usual
    facets: Tree = datatype if isinstance(datatype, dict) else {"base": datatype}
    kind = str(facets.get("base") or "string")
    pattern = _pattern(facets)
    if kind in _WHOLE:
        lower, upper = _bounds(column, facets, _WHOLE[kind], whole=True)
        as_number(column, lower=lower, upper=upper, step="1")
    elif kind in _DECIMAL:
        lower, upper = _bounds(column, facets, ("", ""), whole=False)
        as_number(column, lower=lower, upper=upper, step=_step(pattern))
    elif kind == "boolean":
        as_truth(column, [word for word in pattern.split("|") if word])
    elif kind in _DATES:
        lower, upper = _bounds(column, facets, ("", ""), whole=False)
        as_date(column, lower=lower, upper=upper, period=_DATES[kind], layout=_layout(pattern))
    elif kind in _TEXT:
        as_category(column, choices_of(pattern))
    else:
        left_out(column, kind)
    if body.get("separator"):
        column.notes.append(
            _("Its cells hold several values each: every such cell is one category.")
        )
    if isinstance(default := body.get("default"), str) and default and column.fields:
        column.fields |= {"missing": "impute", "impute": default}
    return column


def _pattern(facets: Tree) -> str:
    written = facets.get("format")
    if isinstance(written, dict):
        written = written.get("pattern")
    return written if isinstance(written, str) else ""


def _layout(pattern: str) -> str:
    """CSVW's letters in ours; its ISO formats are what is read anyway."""
    plain = pattern.strip().rstrip("X").rstrip("x").rstrip()
    layout = plain.replace("yyyy", "YYYY").replace("dd", "DD").replace("d.M.", "DD.MM.")
    iso = layout.startswith("YYYY-MM") and "." not in layout
    return "" if iso else layout


def _step(pattern: str) -> str:
    """0.01 for a number format such as #0.00."""
    match = _PATTERN.fullmatch(pattern) if pattern and not pattern.endswith("%") else None
    if match is None:
        return ""
    decimals = len(match[1] or "")
    return "1" if decimals == 0 else f"0.{'0' * (decimals - 1)}1"


def _bounds(
    column: FoundColumn, facets: Tree, implied: tuple[str, str], *, whole: bool
) -> tuple[str, str]:
    lower = next((str(facets[name]) for name in _LOWER if facets.get(name)), implied[0])
    upper = next((str(facets[name]) for name in _UPPER if facets.get(name)), implied[1])
    return (
        _exclusive(column, facets, "minExclusive", 1, whole) or lower,
        _exclusive(column, facets, "maxExclusive", -1, whole) or upper,
    )


def _exclusive(column: FoundColumn, facets: Tree, name: str, inwards: int, whole: bool) -> str:
    text = str(facets.get(name) or "")
    if whole and re.fullmatch(r"-?[0-9]{1,15}", text):
        return str(int(text) + inwards)
    if text:
        column.notes.append(
            _("{name} {value} counts as the bound itself: bounds are included.").format(
                name=name, value=short(text)
            )
        )
    return text
