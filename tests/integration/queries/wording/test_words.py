"""Plans and numbers as people read them."""

from typing import Any

import pytest
from django.utils import translation

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.plan import MISSING_OPERATORS, NUMERIC_OPERATORS
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.drawings import shown
from dpgov.queries.wording.guarantee import guarantee_in_words
from dpgov.queries.wording.numbers import readable
from dpgov.queries.wording.words import condition_in_words, in_words
from tests.unit.privacy.tables import blueprint_of, of_kind, question, schema_of

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
        (
            {
                "statistics": [
                    {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5, 0.975]},
                    {"statistic": "quantiles", "column": "hours", "quantiles": [0.5]},
                    {"statistic": "count_distinct"},
                    {"statistic": "standard_deviation", "column": "age"},
                    {"statistic": "min", "column": "age"},
                ]
            },
            "Quantiles of age at 25%, 50% and 97.5%, quantile of hours at 50%, distinct "
            "count of privacy units, standard deviation of age and minimum of age",
        ),
    ],
)
def test_a_plan_reads_as_a_sentence(plan: dict[str, Any], words: str) -> None:
    assert in_words(plan) == words


IS_MALE = {"column": "sex", "op": "=", "value": "Male"}
OLD = {"column": "age", "op": ">=", "value": 65}
YOUNG = {"column": "age", "op": "between", "value": [1, 9]}
NO_JOB = {"column": "job", "op": "is_missing"}
ONE_OF = {"column": "n", "op": "in", "value": [1, 2]}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ([{"or": [IS_MALE, OLD]}], "sex is Male or age is at least 65"),
        (
            [NO_JOB, {"or": [IS_MALE, {"and": [OLD, NO_JOB]}]}],
            "job is missing and (sex is Male or (age is at least 65 and job is missing))",
        ),
        ([{"not": IS_MALE}, OLD], "not (sex is Male) and age is at least 65"),
        (
            [{"not": {"or": [IS_MALE, OLD]}}],
            "not (sex is Male or age is at least 65)",
        ),
        ([{"or": [YOUNG, OLD]}], "age is between 1 and 9 or age is at least 65"),
        ([{"or": [ONE_OF, OLD]}], "(n is 1 or 2) or age is at least 65"),
        ([{"and": [OLD, {"and": [IS_MALE]}]}], "age is at least 65 and sex is Male"),
    ],
)
def test_filters_of_any_depth_read_without_doubt(where: list[Any], words: str) -> None:
    assert in_words({"statistics": [COUNT], "where": where}) == f"Count of rows, where {words}"


@pytest.mark.parametrize("sign", [*NUMERIC_OPERATORS, *MISSING_OPERATORS])
def test_every_operator_of_a_plan_has_its_words(sign: str) -> None:
    """Whatever is no operator has none: its text is never put into a sentence."""
    condition = {"column": "age", "op": sign, "value": [1, 2]}
    assert condition_in_words(condition).startswith("age ")
    with pytest.raises(LookupError):
        condition_in_words(condition | {"op": f"{sign} {{column}}"})


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (12345.0, None, "12,345"),
        (-3, None, "\u22123"),
        (38.65461, 1.2, "38.65"),
        (38.65461, 0.0102, "38.6546"),
        (1234.5678, 87.5, "1,234.6"),
        (0.25, None, "0.25"),
        (float("inf"), None, "–"),
    ],
)
def test_a_number_has_the_digits_that_its_error_leaves(
    value: float, error: float | None, text: str
) -> None:
    """Thousands and minus are those of everything else on the page, charts included."""
    assert readable(value, error) == text
    with translation.override("de"):
        assert readable(value, error) == text.replace(",", "\u202f")


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.5, "at most 1.65 times"),
        (2, "at most 7.39 times"),
        (6.9, "at most 993 times"),
        (7, "only within a factor of 1,097, which is hardly any protection"),
        (1000, "only within a factor of more than a million, which is hardly any protection"),
    ],
)
def test_the_guarantee_says_what_epsilon_means(epsilon: float, said: str) -> None:
    guarantee = {"epsilon": epsilon, "neighbouring": "add_remove", "group_size": 1}
    assert said in " ".join(guarantee_in_words(guarantee))


def test_the_guarantee_names_the_group_and_the_relation() -> None:
    guarantee = {"epsilon": 1, "neighbouring": "change_one", "group_size": 3}
    assert "Had any 3 rows together held other values" in " ".join(guarantee_in_words(guarantee))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("kind", StatisticKind)
def test_what_a_release_calls_its_draws_is_said_in_the_reader_s_language(
    kind: StatisticKind, mode: Mode
) -> None:
    """Stored in English, once and for all: a name that nobody can look up would stay English."""
    by = [{"column": "hours", "edges": [0, 30, 60]}, {"column": "age", "edges": [*range(17, 91)]}]
    people = schema_of(mode=mode, unit=PrivacyUnit("person", 2))
    asked = question(
        of_kind(kind),
        group_by=[] if kind.facts.takes_predictors else by[min(1, 2 - kind.facts.along) :],
    )
    quote = blueprint_of(asked, people).describe()
    names = [name["name"] for drawn in quote["draws"] for name in drawn["readings"]]
    names += [drawn["mechanism"] for drawn in quote["draws"]]
    assert [shown(name) for name in names] == names
    with translation.override("de"):
        assert [name for name in names if shown(name) == name] == []


def test_a_tree_of_sums_is_said_with_its_branches() -> None:
    assert shown("rows of tree of 16") == "rows of tree of 16"
    with translation.override("de"):
        assert shown("rows of tree of 16") != "rows of tree of 16"
        assert shown("rows of tree of 16").endswith("16")
