"""A text of SQL: its names and numbers, and what is wrong with it, and where."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.language.said import said
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import InvalidNumber, read_decimal
from dpgov.privacy.plan.calendar import has_time_of_day

_DATES = {
    exp.DataType.Type.DATE,
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATETIME,
}
Place = tuple[int, int]
"""Line and column, both from 1."""
Tables = Mapping[str, Mapping[str, str]]
"""By what a JOIN calls a dataset: how the names of its columns are said in what is asked."""
Meaning = TypeVar("Meaning")


@dataclass(frozen=True, slots=True)
class SqlProblem:
    """One refusal with its place in the text."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}, column {self.column}: {self.message}"


class RefusedSql(ValueError):
    """The text is not of the part of SQL that can be answered; `problems` say where and why."""

    def __init__(self, *problems: SqlProblem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


class Text:
    """The text that was typed, to say where something stands in it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def place(self, offset: int) -> Place:
        """Line and column of a character."""
        before = self._text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    def place_of(self, node: exp.Expr) -> Place:
        """Where the first word of a piece of SQL stands; the beginning if nobody knows."""
        starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        return self.place(min(starts, default=0))

    def word(self, node: exp.Expr) -> str:
        """What a function was called, as it was typed; empty for a piece that has no such word."""
        if "start" not in node.meta:
            return ""
        return self._text[node.meta["start"] : node.meta["end"] + 1]

    def refused(self, node: exp.Expr, message: str) -> RefusedSql:
        """A refusal of this piece."""
        return RefusedSql(SqlProblem(*self.place_of(node), message))

    def refused_after(self, node: exp.Expr, words: Collection[str], message: str) -> RefusedSql:
        """A refusal of the first of these words behind a piece: words that have no piece."""
        end = max((part.meta["end"] for part in node.walk() if "end" in part.meta), default=0)
        found = re.compile(rf"\b({'|'.join(words)})\b", re.IGNORECASE).search(self._text, end)
        place = self.place(found.start()) if found else self.place_of(node)
        return RefusedSql(SqlProblem(*place, message))


class Spelt(Generic[Meaning]):
    """What names stand for: letters' case counts between double quotes.

    Of two that differ by case alone the one that is spelt so is meant.
    """

    def __init__(self, text: Text) -> None:
        self._text = text
        self._known: dict[str, list[tuple[str, Meaning]]] = {}

    def add(self, name: str, meaning: Meaning) -> None:
        """Know one more."""
        self._known.setdefault(name.casefold(), []).append((name, meaning))

    def get(self, written: exp.Identifier) -> Meaning | None:
        """What it stands for; None for nothing. Raises RefusedSql where it could be several."""
        alike = self._known.get(written.name.casefold(), [])
        exact = [meaning for name, meaning in alike if name == written.name]
        found = exact if exact or written.quoted else [meaning for _name, meaning in alike]
        if any(meaning != found[0] for meaning in found):
            message = _(
                "“{name}” is the name of several things here: write the one you mean between "
                "double quotes, as it is spelt, or give them different names."
            )
            raise self._text.refused(written, message.format(name=written.name))
        return found[0] if found else None


class NameReader:
    """Reads the columns and constants of one text. `private_id` names the privacy unit, if any."""

    def __init__(
        self,
        text: Text,
        columns: Sequence[str],
        private_id: str | None,
        tables: Tables | None = None,
    ) -> None:
        self.text, self.private_id, self._tables = text, private_id, tables or {}
        self.columns = tuple(columns)
        self._known: Spelt[str] = Spelt(text)
        for name in dict.fromkeys((*columns, *([private_id] if private_id else []))):
            self._known.add(name, name)
        self._called: Spelt[exp.Expr] = Spelt(text)

    def call(self, items: Iterable[exp.Expr]) -> None:
        """Know the items after SELECT by what AS calls them."""
        for item in items:
            if isinstance(item, exp.Alias):
                self._called.add(item.alias, item.this.unnest())

    def meant(self, node: exp.Expr) -> exp.Expr:
        """What AS gave this name to, or the piece itself; a column's own name comes first."""
        if not isinstance(node, exp.Column) or node.table:
            return node
        if self.name(node) in (*self.columns, self.private_id):
            return node
        return self._called.get(node.this) or node

    def name(self, node: exp.Expr) -> str:
        """The name that a column stands for; letters' case counts only between quotes."""
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            raise self.text.refused(node, _("Name a column here, nothing else."))
        name = node.this.name
        if self._tables and node.table:
            return self._joined(node, name)
        return self._known.get(node.this) or name

    def _joined(self, node: exp.Column, name: str) -> str:
        """A column of one of two joined datasets, as it is called in what is made of both."""
        known = self._tables.get(node.table.replace("-", "_").casefold(), {})
        folded = "" if node.this.quoted else name.casefold()
        found = [said for own, said in known.items() if own.casefold() == folded]
        exact = known.get(name) or (found[0] if len(found) == 1 else None)
        if exact is None:
            words = _("What was put together has no column “{column}” of “{table}”.")
            raise self.text.refused(node, words.format(column=name, table=node.table))
        return exact

    def column(self, node: exp.Expr) -> str:
        """The column inside a function."""
        return self.name(node)

    def _moment(self, node: exp.Cast) -> str:
        """A date or a time as its text.

        A date would lose a time of day that stands in it; and of a moment without one other tools
        say midnight, where a date counts as its whole day here.
        """
        text = self.constant(node.this)
        is_date = node.to.this is exp.DataType.Type.DATE
        if is_date and has_time_of_day(text):
            message = _("A date has no time of day: write TIMESTAMP, or leave the time out.")
            raise self.text.refused(node, message)
        if not is_date and not has_time_of_day(text):
            message = _("A TIMESTAMP has a time of day: write DATE, or add the time.")
            raise self.text.refused(node, message)
        return text

    def number(self, node: exp.Expr) -> Decimal:
        """A plain number, exactly; `decimals.read_decimal` says which can be held."""
        try:
            return read_decimal(self._written(node))
        except InvalidNumber as problem:
            words = said("The number {problem}", problem=problem.args[0])
            raise self.text.refused(node, translated(words)) from problem

    def _written(self, node: exp.Expr) -> str:
        """A plain number as it was typed: perhaps a category, or more than any number may be."""
        sign, inner = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return f"{sign}{inner.name}"
        raise self.text.refused(node, _("Write a plain number here."))

    def constant(self, node: exp.Expr) -> str:
        """A number or a text between single quotes, as a plan's value."""
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.this)
        if isinstance(node, exp.Cast) and node.to.this in _DATES:
            # DATE '2024-01-31' and TIMESTAMP '2024-01-31 14:00'
            return self._moment(node)
        if isinstance(node, exp.Boolean):
            return "true" if node.this else "false"
        return self._written(node)
