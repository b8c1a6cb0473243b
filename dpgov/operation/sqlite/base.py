"""Django's own backend of SQLite, but what a statement is called there is found out once.

Django writes `%s` where a value belongs, and SQLite reads `?`. To look for them in a statement that
is as long as those of models with all that belongs to them takes longer than SQLite needs for its
answer. Values are no part of it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from django.db.backends.sqlite3 import base

# Of statements; those that are longer hold a list, and do not come again.
_MOST, _LONGEST = 1_000, 20_000


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose cursors know the statements of all others."""

    def create_cursor(self, name: str | None = None) -> Any:
        """One of those below."""
        return self.connection.cursor(factory=_Cursor)


class _Cursor(base.SQLiteCursorWrapper):
    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None and len(query) <= _LONGEST:
            return _in_its_words(query)
        return super().convert_query(query, param_names=param_names)


@lru_cache(maxsize=_MOST)
def _in_its_words(query: str) -> str:
    """By Django's own words, which look at nothing but the statement."""
    convert = cast(Callable[[None, str], str], base.SQLiteCursorWrapper.convert_query)
    return convert(None, query)
