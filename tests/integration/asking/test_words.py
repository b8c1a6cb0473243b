"""Plans and numbers as people read them."""

from typing import Any

import pytest

from dpgov.queries.presentation import guarantee_in_words, readable
from dpgov.queries.words import in_words

COUNT = {"statistic": "count"}


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"statistics": [COUNT], "where": [], "group_by": []}, "Count of rows"),
        (
            {"statistics": [COUNT, {"statistic": "mean", "column": "Age"}]},
            "Count of rows and mean of Age",
        ),
        (
            {
                "statistics": [{"statistic": "sum", "column": "hours"}],
                "where": [
                    {"column": "age", "op": "between", "value": [20, 30]},
                    {"column": "sex", "op": "!=", "value": "Male"},
                    {"column": "job", "op": "is_missing"},
                ],
            },
            "Sum of hours, where age is between 20 and 30, sex is not Male and job is missing",
        ),
        (
            {
                "statistics": [COUNT],
                "where": [{"column": "n", "op": "in", "value": [1, 2, 3, 4, 5]}],
                "group_by": [
                    {"column": "age", "edges": [0, 50, 100]},
                    {"column": "sex", "categories": ["Female", "Male"]},
                ],
            },
            "Count of rows, where n is 1, 2, 3 or 2 more, "
            "for each age group (0 to 100 in 2 bins) and sex (Female, Male)",
        ),
    ],
)
def test_a_plan_reads_as_a_sentence(plan: dict[str, Any], words: str) -> None:
    assert in_words(plan) == words


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (12345.0, None, "12\u202f345"),
        (-3, None, "-3"),
        (38.65461, 1.2, "38.65"),
        (38.65461, 0.0102, "38.6546"),
        (1234.5678, 87.5, "1\u202f234.6"),
        (0.25, None, "0.25"),
        (float("inf"), None, "–"),
    ],
)
def test_a_number_has_the_digits_that_its_error_leaves(
    value: float, error: float | None, text: str
) -> None:
    assert readable(value, error) == text


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [(0.5, "at most 1.65 times"), (2, "at most 7.39 times"), (1000, "hardly any protection")],
)
def test_the_guarantee_says_what_epsilon_means(epsilon: float, said: str) -> None:
    guarantee = {"epsilon": epsilon, "neighbouring": "add_remove", "group_size": 1}
    assert said in " ".join(guarantee_in_words(guarantee))


def test_the_guarantee_names_the_group_and_the_relation() -> None:
    guarantee = {"epsilon": 1, "neighbouring": "change_one", "group_size": 3}
    assert "Had any 3 rows together held other values" in " ".join(guarantee_in_words(guarantee))
