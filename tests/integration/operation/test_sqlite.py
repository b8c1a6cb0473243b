"""The embedded database: statements in its words, found out once for each text of a statement."""

from typing import Any

import pytest
from django.db import connections
from django.db.backends.sqlite3.base import SQLiteCursorWrapper

from dpgov.configuration.environment import database_settings
from dpgov.configuration.reading import Environment
from dpgov.operation.sqlite.base import DatabaseWrapper

pytestmark = pytest.mark.django_db


@pytest.fixture
def embedded(tmp_path: Any) -> Any:
    """A connection as the embedded profile has it, whichever this run is of."""
    settings = connections["default"].settings_dict | database_settings(Environment(), tmp_path)
    settings |= {"ENGINE": "dpgov.operation.sqlite", "NAME": tmp_path / "x.sqlite3", "OPTIONS": {}}
    opened = DatabaseWrapper(settings, "embedded")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("statement", "values", "found"),
    [
        ("SELECT %s, %s", [1, "b"], (1, "b")),
        ("SELECT %s, %s", [2, "%s"], (2, "%s")),
        ("SELECT '%%s', %s, '100 %%'", [3], ("%s", 3, "100 %")),
        ("SELECT '50 %'", None, ("50 %",)),
        ("SELECT %(one)s, '%%'", {"one": 4}, (4, "%")),
        ("SELECT %s" + " " * 30_000, [5], (5,)),
    ],
)
def test_a_value_stands_where_django_put_it(
    embedded: Any, statement: str, values: Any, found: tuple[Any, ...]
) -> None:
    """Also where the same statement came before with other ones."""
    for _ in range(2):
        with embedded.cursor() as cursor:
            cursor.execute(statement, values)
            assert cursor.fetchall() == [found]


def test_a_statement_is_what_django_makes_of_it(embedded: Any) -> None:
    """By each text of a statement alone; no value is part of it."""
    with embedded.cursor() as cursor:
        ours = cursor.cursor
        for text in ("SELECT %s", "SELECT '%%' || %s", "%%s", ""):
            assert ours.convert_query(text) == SQLiteCursorWrapper.convert_query(ours, text)
