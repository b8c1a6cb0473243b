"""What changes rows, put together once."""

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from django.core.exceptions import EmptyResultSet
from django.db import connections, transaction
from django.db.models import QuerySet
from django.db.models.sql.subqueries import UpdateQuery

from dpgov.operation.prepared.places import P, Shaped, put_in

# Which rows, and what their fields become.
Change: TypeAlias = tuple[QuerySet[Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Statement:
    using: str
    sql: str
    parameters: tuple[Any, ...]

    def make(self, values: tuple[Any, ...]) -> int:
        connection = connections[self.using]
        with (
            transaction.mark_for_rollback_on_error(using=self.using),
            connection.cursor() as cursor,
        ):
            cursor.execute(self.sql, put_in(self.parameters, values, connection))
            return int(cursor.rowcount)


class PreparedChange(Shaped[P, Change, _Statement]):
    """A function that says which rows change and how, turned into one that changes them.

    As `QuerySet.update` does it: one statement, which decides and changes at once, and tells how
    many rows it was. A field becomes NULL where the function says None; a value is never None.
    """

    def __call__(self, *values: P.args, **told: P.kwargs) -> int:
        """Change the rows; how many."""
        if self._is_for_once(values):
            rows, changes = self._build(*values, **told)
            return rows.update(**changes)
        statement = self._kept(values, told)
        return 0 if statement is None else statement.make(values)

    def _made(self, built: Change) -> _Statement | None:
        rows, changes = built
        query = cast(UpdateQuery, rows.query.chain(UpdateQuery))
        query.add_update_values(changes)
        # Rows that are found through other tables would take more than this one statement.
        if query.get_related_updates() or query.is_sliced:
            raise TypeError("one table is changed, and all rows that are found")
        try:
            sql, parameters = query.get_compiler(using=rows.db).as_sql()
        except EmptyResultSet:
            return None
        return _Statement(rows.db, sql, tuple(parameters))
