"""HAVING, ORDER BY and LIMIT: how the released groups are to be shown. They cost nothing.

They speak of what stands after SELECT and GROUP BY, since nothing else is released.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.arranging.arrangement import (
    MOST_DECIMALS,
    MOST_GROUPS,
    MOST_PARTS,
    Arrangement,
    ColumnKey,
    GroupCondition,
    KeyKind,
    Order,
    is_sayable,
)
from dpgov.queries.sql.text import NameReader, RefusedSql, Spelt

_OPS: dict[type[exp.Expr], str] = {
    exp.GTE: ">=",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.LT: "<",
    exp.EQ: "=",
    exp.NEQ: "!=",
}
_MIRRORED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "=", "!=": "!="}
_CLAUSES = ("having", "order", "limit")
_LONGEST = len(str(MOST_GROUPS))


@dataclass(slots=True)
class Items:
    """What stands after SELECT and GROUP BY, by its text, its name and its place."""

    names: NameReader
    by_text: dict[str, ColumnKey] = field(default_factory=dict)
    in_order: list[ColumnKey] = field(default_factory=list)
    by_name: Spelt[ColumnKey] = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = Spelt(self.names.text)

    def add(self, node: exp.Expr, key: ColumnKey, *, shown: bool = True) -> None:
        """One item; one that only stands in GROUP BY is not counted by ORDER BY 1."""
        self.know(node.unalias(), key)
        if isinstance(node, exp.Alias):
            self.by_name.add(node.alias, key)
        if shown:
            self.in_order.append(key)

    def know(self, node: exp.Expr, key: ColumnKey) -> None:
        """What a clause may name though it was selected as a part of something else."""
        self.by_text.setdefault(self._text(node), key)

    def find(self, node: exp.Expr) -> ColumnKey | None:
        """What a clause names, if it stands there."""
        if _is_named(node) and (key := self.by_name.get(node.this)) is not None:
            return key
        return self.by_text.get(self._text(node))

    def _text(self, node: exp.Expr) -> str:
        """What it says, alike for whatever is spelt otherwise and means the same columns."""
        copy = node.unnest().copy()
        for column in filter(_is_named, list(copy.find_all(exp.Column))):
            # In digits, since case counts in the name that is meant, and nowhere else.
            spelt = self.names.name(column).encode().hex()
            column.set("this", exp.to_identifier(spelt, quoted=True))
            column.set("table", None)
        return copy.sql(comments=False).casefold()


def _is_named(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier)


def read_arranging(
    select: exp.Select, items: Items, ratios: Sequence[tuple[int, int]], names: NameReader
) -> Arrangement:
    """How the answer of this text is to be shown. Raises RefusedSql."""
    clauses = {name: select.args.get(name) for name in _CLAUSES}
    given = [clause for clause in clauses.values() if clause is not None]
    if given and select.args.get("group") is None:
        raise names.text.refused(
            given[0],
            _("HAVING, ORDER BY and LIMIT choose among groups; this text has no GROUP BY."),
        )
    read = _Clauses(items, names)
    return Arrangement(
        sort=tuple(read.orders(clauses["order"])),
        first=read.first(clauses["limit"]),
        having=tuple(read.conditions(clauses["having"])),
        ratios=tuple(ratios),
    )


@dataclass(frozen=True, slots=True)
class _Clauses:
    items: Items
    names: NameReader

    def orders(self, order: exp.Expr | None) -> Iterator[Order]:
        """ORDER BY: an item, its name, or its number after SELECT."""
        for ordered in self._bounded(order.expressions if order is not None else []):
            self._check_order(ordered)
            inner = ordered.this if isinstance(ordered, exp.Ordered) else ordered
            yield Order(self._ordered_by(inner), bool(ordered.args.get("desc")))

    def _check_order(self, ordered: exp.Expr) -> None:
        if ordered.args.get("nulls_first"):
            message = _("A group without a number comes last: leave NULLS FIRST out.")
            raise self.names.text.refused_after(ordered, ("NULLS",), message)
        if ordered.args.get("with_fill"):
            message = _("Every declared group is there: leave WITH FILL out.")
            raise self.names.text.refused_after(ordered, ("WITH",), message)

    def _ordered_by(self, node: exp.Expr) -> ColumnKey:
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            place = int(node.name[:9])
            if 1 <= place <= len(self.items.in_order):
                return self.items.in_order[place - 1]
            raise self._refused(
                node,
                _("There are {number} items after SELECT.").format(number=len(self.items.in_order)),
            )
        return self._key(node)

    def first(self, limit: exp.Expr | None) -> int | None:
        """LIMIT: a whole number of groups above zero."""
        if limit is None:
            return None
        options = limit.args.get("limit_options")
        if options is not None and any(options.args.get(name) for name in ("percent", "with_ties")):
            message = _("Only a number of groups is answered here: no PERCENT, no WITH TIES.")
            raise self._refused(limit, message)
        number = limit.args.get("expression") or limit.args.get("count")
        text = number.name if isinstance(number, exp.Literal) and not number.is_string else ""
        first = int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST else 0
        if not 0 < first <= MOST_GROUPS or limit.expressions:
            raise self._refused(limit, _("Write a whole number above zero after LIMIT."))
        return first

    def conditions(self, having: exp.Expr | None) -> Iterator[GroupCondition]:
        """HAVING: comparisons with plain numbers, joined by AND."""
        if having is None:
            return
        inner = having.this.unnest()
        parts = list(inner.flatten()) if isinstance(inner, exp.And) else [inner]
        for part in self._bounded(parts):
            yield from self._condition(part.unnest())

    def _condition(self, node: exp.Expr) -> Iterator[GroupCondition]:
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            key = self._statistic(node.this)
            yield GroupCondition(key, ">=", self._number(node.args["low"]))
            yield GroupCondition(key, "<=", self._number(node.args["high"]))
            return
        op = _OPS.get(type(node))
        if op is None:
            raise self._refused(
                node,
                _("After HAVING compare statistics with plain numbers, joined by AND."),
            )
        left, right = node.this, node.expression
        if isinstance(left, exp.Literal | exp.Neg):
            left, right, op = right, left, _MIRRORED[op]
        yield GroupCondition(self._statistic(left), op, self._number(right))

    def _statistic(self, node: exp.Expr) -> ColumnKey:
        key = self._key(node)
        if key.part is KeyKind.GROUPING:
            raise self._refused(node, _("Choose groups by their names with WHERE, not HAVING."))
        return key

    def _key(self, node: exp.Expr) -> ColumnKey:
        key = self.items.find(node)
        if key is None:
            raise self._refused(
                node, _("Name this after SELECT too: only what is released can be looked at.")
            )
        return key

    def _number(self, node: exp.Expr) -> Decimal:
        number = self.names.number(node)
        if not is_sayable(number):
            message = _("Compare with a number of at most {most} decimals.")
            raise self._refused(node, message.format(most=MOST_DECIMALS))
        return number

    def _bounded(self, parts: Sequence[exp.Expr]) -> Sequence[exp.Expr]:
        if len(parts) > MOST_PARTS:
            raise self._refused(
                parts[MOST_PARTS], _("At most {most} are read here.").format(most=MOST_PARTS)
            )
        return parts

    def _refused(self, node: exp.Expr, message: str) -> RefusedSql:
        return self.names.text.refused(node, message)
