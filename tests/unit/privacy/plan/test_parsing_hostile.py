"""Whatever is sent as a plan: no number that is none, short messages, never a crash."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.privacy.reading import refused
from tests.unit.privacy.tables import COUNT, question

NOT_NUMBERS: list[Any] = [
    True,
    False,
    None,
    "",
    "nan",
    "inf",
    "-inf",
    float("nan"),
    float("inf"),
    "１２",
    "1_0",
]
NOT_NUMBERS += ["0x10", "1e400", 10**400, "9" * 50, "1" * 5000, "1,5", [1], {"value": 1}, 10**15]
NOT_NUMBERS += ["1e-13", 1e-300, "0.1234567890123456"]


@pytest.mark.parametrize("number", NOT_NUMBERS, ids=lambda value: str(type(value)))
def test_what_is_no_exact_number_is_refused_in_filters_and_edges(number: object) -> None:
    """D4: booleans, NaN, infinities and huge strings never become thresholds."""
    raw = question(
        COUNT,
        where=[{"column": "age", "op": "<", "value": number}],
        group_by=[{"column": "age", "edges": [0, number]}],
    )
    assert set(refused(raw)) == {"where.0.value", "group_by.0.edges.1"}


def test_every_problem_is_named_at_once() -> None:
    raw = {"statistics": [{"statistic": "x"}], "where": [{"column": "x"}], "epsilon": 0, "more": 1}
    assert set(refused(raw)) == {"more", "statistics.0.statistic", "where.0.column", "epsilon"}


def test_messages_stay_short_and_printable_whatever_was_sent() -> None:
    """G9: what a person sends comes back shortened, and without control characters."""
    hostile = "\x1b[31m\r\n\u202e" + "x" * 1_000_000
    problems = refused({"statistics": [{"statistic": hostile}], hostile: 1, "epsilon": hostile})
    for path, message in problems.items():
        assert len(path) < 100
        assert len(message) < 300
        assert path.isprintable()
        assert message.isprintable()


def test_no_more_than_fifty_problems_are_listed() -> None:
    assert len(refused({str(number): 1 for number in range(1000)})) == 50


@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["statistics", "where", "group_by", "epsilon", "column", "op", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_anything_else_is_refused_and_never_crashes(raw: object) -> None:
    assert refused({"statistics": raw, "where": raw, "group_by": raw, "epsilon": raw})
    assert refused(raw)
