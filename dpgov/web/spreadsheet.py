"""Cells of an exported table that no spreadsheet runs as a formula (catalogue I3)."""

from typing import TypeVar

Cell = TypeVar("Cell")

# The last four are full-width twins, which some programs read as the plain ones.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def safe_cell(value: Cell) -> Cell | str:
    """The value, with an apostrophe before a text that a spreadsheet would take for a formula."""
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value
