"""From a text of SQL to the raw plan that a form or the API would send.

SELECT statistics FROM dataset WHERE filters GROUP BY public groups
WITH EPSILON 0.5, GROUPS_PER_UNIT 2, ROWS_PER_GROUP 1

HAVING, ORDER BY, LIMIT and a ratio of two statistics are no part of the plan: they arrange what is
released.

A text is about one dataset, which its door names; so any name may stand after FROM. Two may stand
there, joined by their unit, where one was derived from both. The price may stand beside the text
instead of at its end.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from sqlglot import Dialect, exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from dpgov.language.translation import translated
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.arranging.arrangement import NONE, Arrangement
from dpgov.queries.sql.arranging import read_arranging
from dpgov.queries.sql.bounds import check_depth, check_length, closes_its_brackets, too_deep
from dpgov.queries.sql.ending import Ending, read_ending
from dpgov.queries.sql.groups import read_group
from dpgov.queries.sql.joining import JoinClause, is_table, read_join
from dpgov.queries.sql.running import check_unchosen, in_order
from dpgov.queries.sql.selected import Selected
from dpgov.queries.sql.statistics import Reader
from dpgov.queries.sql.text import Place, RefusedSql, SqlProblem, Tables, Text
from dpgov.queries.sql.where import Placed, read_where
from dpgov.queries.sql.whole import check_whole

_ALLOWED = {
    *("expressions", "from_", "where", "group", "kind", "operation_modifiers"),
    *("having", "order", "limit"),
}
_DEEPER = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}
_NOT_ANSWERED = {
    "joins": gettext_lazy(
        "Joins are not read here: name the dataset that was put together out of both."
    ),
    "offset": gettext_lazy("Every declared group is in the answer; leave OFFSET out."),
    "distinct": gettext_lazy(
        "Write COUNT(DISTINCT …) for people; SELECT DISTINCT is not answered."
    ),
    "windows": gettext_lazy("Write each window after its own OVER, not after WINDOW."),
    "qualify": gettext_lazy("QUALIFY is not answered."),
    "with_": gettext_lazy("WITH … AS is not answered; ask of the dataset itself."),
}


# Words that nobody means as a column. What else a parser knows may well be one: Alter, in German.
_CLAUSES = {"SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "WITH", "JOIN"}
_BETWEEN = {"ON", "AS", "AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "LIKE", "UNION"}


class _Plain(Dialect):
    """SQL of no product. Missing values come last everywhere here; that they be first is seen."""

    NULL_ORDERING = "nulls_are_last"


@dataclass(frozen=True, slots=True)
class ReadSql:
    """The raw plan, where each of its parts stands in the text, and how its answer is shown."""

    raw_plan: dict[str, Any]
    places: dict[str, Place]
    arrangement: Arrangement = NONE

    def placed(self, refusal: InvalidPlan) -> RefusedSql:
        """The plan's own refusals at their places in the text."""
        return RefusedSql(
            *(SqlProblem(*self._place(p.path), self._said(p)) for p in refusal.problems)
        )

    def _said(self, problem: PlanProblem) -> str:
        """As the plan says it, but for edges, which nobody writes as a list here."""
        group, _dot, member = problem.path.rpartition(".")
        if member == "edges" and group not in self._with_edges():
            return _("Group it in ranges, like BINS(column, 0, 20, 40).")
        return translated(problem.message)

    def _with_edges(self) -> set[str]:
        groups = enumerate(self.raw_plan.get("group_by", ()))
        return {f"group_by.{place}" for place, group in groups if "edges" in group}

    def _place(self, path: str) -> Place:
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            if place := self.places.get(".".join(parts[:length])):
                return place
        return 1, 1


def plan_of_sql(
    text: str,
    *,
    dataset: str,
    schema: DatasetSchema,
    price: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> tuple[Plan, Arrangement]:
    """The plan that a text stands for, asked of this dataset whatever it is called after FROM.

    And how its answer is to be shown. `price` is epsilon or rho for a text without one; `tables`
    has the columns of this dataset by what a text calls the two that it was derived from. Raises
    RefusedSql with every problem at its place.
    """
    names, unit = [column.name for column in schema.columns], schema.unit.private_id
    found = read_sql(text, columns=names, private_id=unit, price=price, tables=tables)
    found.raw_plan["dataset"] = dataset
    try:
        return parse_plan(found.raw_plan, schema, dataset=dataset), found.arrangement
    except InvalidPlan as refusal:
        raise found.placed(refusal) from refusal


def read_sql(
    text: str,
    *,
    columns: Sequence[str],
    private_id: str | None = None,
    price: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> ReadSql:
    """The plan that a text stands for; `columns` are the names that can be asked about.

    `price` is what holds where the text ends without one; `tables` what a JOIN calls its columns.
    Raises RefusedSql with the place of the problem.
    """
    source = Text(text)
    select, ending = _parsed(text, source, price, joined=bool(tables))
    check_whole(select, source)
    reader = Reader(source, columns, private_id, tables)
    table = _table(select, source)
    reader.call(select.expressions)
    read: Placed = [(node, read_group(node, reader)) for node in _groups(select, source)]
    groups = in_order(read, select.expressions, reader)
    shown = Selected(reader, groups)
    for node in select.expressions:
        shown.read(node)
    shown.check()
    check_unchosen(select.args.get("having"), shown.statistics, reader)
    if not shown.statistics:
        raise source.refused(select, _("Name at least one statistic, like COUNT(*)."))
    where = select.args.get("where")
    filters = read_where(where.this, reader) if where is not None else []
    places = {"dataset": source.place_of(table)} | ending.places
    computed: Placed = [(node, one.as_asked()) for one, node in reader.computed.items()]
    parted = (("statistics", shown.statistics), ("group_by", groups), ("where", filters))
    for name, parts in (("computed", computed), *parted):
        places |= {f"{name}.{n}": source.place_of(node) for n, (node, _read) in enumerate(parts)}
    raw = {
        "dataset": table.name,
        **({"computed": [part for _, part in computed]} if computed else {}),
        "statistics": [part for _, part in shown.statistics],
        "where": [part for _, part in filters],
        "group_by": [part for _, part in groups],
        **ending.raw,
    }
    return ReadSql(raw, places, read_arranging(select, shown.items, shown.ratios, reader))


def join_of(text: str) -> JoinClause | None:
    """Which two datasets a text joins; None where it joins none. Raises RefusedSql."""
    source = Text(text)
    # Whether it has a price is seen when it is read.
    select, _ending = _parsed(text, source, {"epsilon": "1"}, joined=True)
    return read_join(select, source)


def _parsed(
    text: str, source: Text, price: Mapping[str, str] | None, *, joined: bool
) -> tuple[exp.Select, Ending]:
    check_length(text)
    tokens = [token for token in _tokens(text) if token.token_type is not TokenType.SEMICOLON]
    check_depth(tokens, source)
    ending = read_ending(tokens, text, source, price)
    allowed = _ALLOWED | ({"joins"} if joined else set())
    return _select(_plain_names(text, tokens)[: ending.start], source, allowed), ending


def _plain_names(text: str, tokens: Sequence[Token]) -> str:
    """The text with datasets' addresses, after FROM and JOIN, as one name each.

    The hyphens of addresses become underscores, so that every place stays where it is. Within
    brackets FROM stands before a column, as in EXTRACT.
    """
    depth = 0
    for start, token in enumerate(tokens, 1):
        depth += _DEEPER.get(token.token_type, 0)
        if depth == 0 and token.token_type in (TokenType.FROM, TokenType.JOIN):
            text = _plain_name(text, tokens, start)
    return text


def _plain_name(text: str, tokens: Sequence[Token], start: int) -> str:
    for place, token in enumerate(tokens[start:], start):
        if token.start != tokens[place - 1].end + 1 and place != start:
            break
        if token.token_type is TokenType.DASH:
            text = f"{text[: token.start]}_{text[token.end + 1 :]}"
    return text


def _tokens(text: str) -> list[Token]:
    try:
        return Tokenizer().tokenize(text)
    except SqlglotError as problem:
        raise RefusedSql(SqlProblem(1, 1, _("This text cannot be read as SQL."))) from problem


def _select(text: str, source: Text, allowed: Collection[str]) -> exp.Select:
    try:
        statements = [statement for statement in parse(text, read=_Plain) if statement is not None]
    except SqlglotError as problem:
        raise _unreadable(problem, text) from problem
    except RecursionError as problem:  # whatever the bounds did not foresee
        raise RefusedSql(SqlProblem(1, 1, too_deep())) from problem
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        where = source.place_of(statements[-1]) if statements else (1, 1)
        raise RefusedSql(SqlProblem(*where, _("Write one SELECT statement and nothing else.")))
    select = statements[0]
    for name, value in select.args.items():
        if value and name not in allowed:
            node = next((v for v in (value if isinstance(value, list) else [value])), select)
            other = _("{word} is not answered.").format(word=name.strip("_").upper())
            message = str(_NOT_ANSWERED.get(name, other))
            raise source.refused(node if isinstance(node, exp.Expr) else select, message)
    return select


def _unreadable(problem: SqlglotError, text: str) -> RefusedSql:
    for error in getattr(problem, "errors", []):
        if error.get("line"):
            width = len(str(error.get("highlight") or "")) or 1
            column = max(1, int(error["col"]) - width + 1)
            place = str(error.get("highlight") or "")
            message = _in_our_words(str(error["description"]), place, text)
            return RefusedSql(SqlProblem(int(error["line"]), column, message))
    return RefusedSql(SqlProblem(1, 1, _("This text cannot be read as SQL.")))


def _in_our_words(problem: str, place: str, text: str) -> str:
    """What the parser calls its own parts means nothing to who wrote the text."""
    if problem.startswith("Expecting )"):
        # The parser expects one wherever a list stops, and it may well stand further on.
        if closes_its_brackets(_tokens(text)):
            refusal = _("This cannot be read as SQL, near “{place}”; a comma may be missing.")
            return refusal.format(place=place)
        return _("A bracket is not closed, near “{place}”.").format(place=place)
    known = _Plain.tokenizer_class.KEYWORDS.keys() - _CLAUSES - _BETWEEN
    if place.isidentifier() and place.upper() in known:
        return _(
            '“{place}” is a word of SQL. If it is a column, write it in double quotes: "{place}".'
        ).format(place=place)
    return _("This cannot be read as SQL, near “{place}”.").format(place=place)


def _table(select: exp.Select, source: Text) -> exp.Table:
    origin = select.args.get("from_")
    table = origin.this if origin is not None else None
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise source.refused(origin or select, _("Name one dataset after FROM, by its address."))
    if not is_table(table):
        raise source.refused(
            table, _("Name the dataset alone after FROM; nothing more is answered.")
        )
    return table


def _groups(select: exp.Select, source: Text) -> list[exp.Expr]:
    group = select.args.get("group")
    if group is None:
        return []
    if any(value for name, value in group.args.items() if name != "expressions"):
        raise source.refused(group, _("Only plain groups are answered after GROUP BY."))
    return list(group.expressions)
