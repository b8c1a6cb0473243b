"""FROM one JOIN other USING (unit): which two datasets a text joins, and what it calls them.

It is read as a question on the dataset that was derived from both; so nothing is joined when it is
asked, and no other join has a meaning here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.sql.text import RefusedSql, Text

_OF_A_JOIN = {"this", "using", "kind"}
_OF_A_TABLE = {"this", "alias"}


@dataclass(frozen=True, slots=True)
class JoinClause:
    """Both datasets by their plain names, what the text calls each, and the column after USING."""

    called: Mapping[str, str]
    tables: frozenset[str]
    column: str
    node: exp.Join


def plain(address: str) -> str:
    """An address as it is compared: hyphens of an address are no part of a name in SQL."""
    return address.replace("-", "_").casefold()


def is_table(node: exp.Expr | None) -> bool:
    """Whether it is the name of one dataset, and nothing more."""
    return (
        isinstance(node, exp.Table)
        and isinstance(node.this, exp.Identifier)
        and all(name in _OF_A_TABLE for name, value in node.args.items() if value)
    )


def read_join(select: exp.Select, source: Text) -> JoinClause | None:
    """What is joined; None where nothing is. Raises RefusedSql for any other join."""
    joins = select.args.get("joins") or []
    if not joins:
        return None
    first, (join, *others) = select.args["from_"].this, joins
    columns = join.args.get("using") or []
    if others or len(columns) != 1 or not (_is_plain(join) and is_table(first)):
        raise _refused(join, source)
    called = {plain(table.alias_or_name): plain(table.name) for table in (first, join.this)}
    return JoinClause(called, frozenset(called.values()), columns[0].name, join)


def _is_plain(join: exp.Join) -> bool:
    given = {name for name, value in join.args.items() if value}
    return is_table(join.this) and given <= _OF_A_JOIN and join.kind in ("", "INNER")


def _refused(join: exp.Join, source: Text) -> RefusedSql:
    return source.refused(
        join,
        _("Two datasets are joined by what both protect: write FROM one JOIN other USING (unit)."),
    )
