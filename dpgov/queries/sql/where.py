"""What stands after WHERE, as a plan's filters."""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.sql.computed import ARITHMETIC
from dpgov.queries.sql.text import NameReader

Placed = list[tuple[exp.Expr, dict[str, Any]]]

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def read_where(node: exp.Expr, names: NameReader) -> Placed:
    """The filters that all hold at once, each with its place. Raises RefusedSql."""
    inner = node.unnest()
    if isinstance(inner, exp.And):
        return read_where(inner.left, names) + read_where(inner.right, names)
    return [(inner, _filter(inner, names))]


def _filter(node: exp.Expr, names: NameReader) -> dict[str, Any]:
    inner = node.unnest()
    if isinstance(inner, exp.And):
        return {"and": [part for _, part in read_where(inner, names)]}
    if isinstance(inner, exp.Or):
        return {"or": _alternatives(inner, names)}
    if isinstance(inner, exp.Not):
        return _negated(inner.this.unnest(), names)
    return _condition(inner, names)


def _alternatives(node: exp.Expr, names: NameReader) -> list[dict[str, Any]]:
    inner = node.unnest()
    if isinstance(inner, exp.Or):
        return _alternatives(inner.left, names) + _alternatives(inner.right, names)
    return [_filter(inner, names)]


def _negated(inner: exp.Expr, names: NameReader) -> dict[str, Any]:
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return {"column": names.name(inner.this), "op": "is_present"}
    return {"not": _filter(inner, names)}


def _condition(node: exp.Expr, names: NameReader) -> dict[str, Any]:
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return {"column": names.name(node.this), "op": "is_missing"}
    if isinstance(node, exp.Between):
        ends = [names.constant(node.args[name]) for name in ("low", "high")]
        return {"column": names.name(node.this), "op": "between", "value": ends}
    if isinstance(node, exp.In) and node.expressions:
        values = [names.constant(value) for value in node.expressions]
        return {"column": names.name(node.this), "op": "in", "value": values}
    if (op := _COMPARISONS.get(type(node))) is not None:
        return _comparison(node, op, names)
    raise names.text.refused(
        node,
        _(
            "Compare a column with a constant (=, <>, <, <=, >, >=, BETWEEN, IN, IS NULL), joined "
            "by AND, OR and NOT."
        ),
    )


def _comparison(node: exp.Expr, op: str, names: NameReader) -> dict[str, Any]:
    left, right = node.this.unnest(), node.expression.unnest()
    if not isinstance(left, (exp.Column, *ARITHMETIC)):
        left, right, op = right, left, _TURNED.get(op, op)
    return {"column": names.name(left), "op": op, "value": names.constant(right)}
