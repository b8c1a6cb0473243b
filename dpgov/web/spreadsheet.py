"""Cells of an exported table that no spreadsheet runs as a formula (catalogue I3)."""

import re
from typing import TypeVar

Cell = TypeVar("Cell")

# The last four are full-width twins, which some programs read as the plain ones.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# A program that parts cells at one of these, where ours are parted at commas, begins one there.
_BEGINS = re.escape("".join(sign for sign in _FORMULA_STARTS if not sign.isspace()))
_INSIDE = re.compile(rf"""([;\t\r\n][\s"']*)(?=[{_BEGINS}])""")
_PUT_INSIDE = re.compile(rf"""([;\t\r\n][\s"']*)'(?=[{_BEGINS}])""")


# What runs nothing: a number with its sign, like a code for missing values, or a sign alone.
_NUMBER = re.compile(r"[+-]([0-9]+([.,][0-9]+)?)?", re.ASCII)


def safe_cell(value: Cell) -> Cell | str:
    """The value, with an apostrophe before a text that a spreadsheet would take for a formula."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    if value.lstrip(" ").startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


def safe_text(value: Cell) -> Cell | str:
    """The same of what people write freely, safe for a program that parts cells elsewhere, too."""
    whole = safe_cell(value)
    return _INSIDE.sub(r"\1'", whole) if isinstance(whole, str) else whole


def as_written(cell: str) -> str:
    """The reverse of `safe_text`, of a cell that comes back."""
    inside = _PUT_INSIDE.sub(r"\1", cell)
    texts = (inside.removeprefix("'"), inside)
    return next((text for text in texts if safe_text(text) == cell), cell)
