"""I1: what is wrong near a bracket is said as it is: one that is not closed, or a comma."""

import pytest

from tests.unit.queries.sql.test_reading import refused

COUNT = "SELECT COUNT(*) FROM people WHERE {} WITH EPSILON 1"


@pytest.mark.parametrize(
    ("text", "column", "near"),
    [
        (COUNT.format("age IN (1 2)"), 45, "2"),
        (COUNT.format("sex = ')' AND age IN (1 2)"), 59, "2"),
        ("SELECT AVG(age age) FROM people WITH EPSILON 1", 16, "age"),
    ],
)
def test_where_brackets_are_even_a_comma_may_be_missing(text: str, column: int, near: str) -> None:
    """I1"""
    said = f"This cannot be read as SQL, near “{near}”; a comma may be missing."
    assert refused(text) == (1, column, said)


def test_a_bracket_of_a_text_closes_none() -> None:
    """I1"""
    where = refused(COUNT.format("sex = ')' AND age IN (1 2"))
    assert where == (1, 59, "A bracket is not closed, near “2”.")
