"""A column clipped narrower than declared: CLIP(age, 20, 60), or LEAST(GREATEST(age, 20), 60).

As everywhere, a missing value stays missing: some databases pass over NULL in LEAST and GREATEST.
"""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.queries.sql.text import NameReader

_NAMES = ("CLIP", "CLAMP")
OFFERED = _NAMES[0]


def read_clipped(node: exp.Expr, names: NameReader) -> dict[str, Any]:
    """The plan's form of what stands inside a function: a column, perhaps with its clip.

    Raises RefusedSql.
    """
    if isinstance(node, exp.Anonymous) and node.name.upper() in _NAMES:
        if len(node.expressions) != 3:
            raise names.text.refused(node, _("Write CLIP(column, 20, 60)."))
        column, low, high = node.expressions
        return _of(column, low, high, names)
    if isinstance(node, exp.Least | exp.Greatest):
        return _nested(node, names)
    return {"column": names.column(node)}


def _nested(outer: exp.Least | exp.Greatest, names: NameReader) -> dict[str, Any]:
    """One of the two bounds in the other; or one alone, where the other end is as declared."""
    inner = outer.this
    both = isinstance(inner, exp.Least | exp.Greatest) and type(inner) is not type(outer)
    parts = [outer, inner] if both else [outer]
    if any(len(part.expressions) != 1 for part in parts):
        message = _("Write LEAST(GREATEST(column, 20), 60), with the column first.")
        raise names.text.refused(outer, message)
    ends = {type(part): part.expressions[0] for part in parts}
    return _of(parts[-1].this, ends.get(exp.Greatest), ends.get(exp.Least), names)


def _of(
    column: exp.Expr, low: exp.Expr | None, high: exp.Expr | None, names: NameReader
) -> dict[str, Any]:
    ends = {"from": low, "to": high}
    clip = {end: decimal_text(names.number(node)) for end, node in ends.items() if node is not None}
    return {"column": names.column(column), "clip": clip}
