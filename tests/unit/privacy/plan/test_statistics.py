"""The table of statistics: complete, told apart by its words, and all of it answered."""

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.choice import MECHANISMS
from dpgov.privacy.mechanisms.mechanism import released_by
from dpgov.privacy.plan.statistics import (
    STATISTICS,
    SYNONYMS,
    Facts,
    Quantity,
    Recipe,
    StatisticKind,
)
from tests.unit.privacy.tables import blueprint_of, of_kind, question, schema_of

ALONG = [{"column": "hours", "edges": [0, 30, 60]}, {"column": "age", "edges": [17, 40, 90]}]


def test_every_statistic_has_its_line_and_every_recipe_a_mechanism() -> None:
    assert set(STATISTICS) == {*StatisticKind, "histogram"}
    assert set(MECHANISMS) == set(Recipe)


@pytest.mark.parametrize("facts", STATISTICS.values(), ids=STATISTICS)
def test_a_statistic_is_called_the_same_alone_and_inside_a_sentence(facts: Facts) -> None:
    assert facts.label == facts.name[:1].upper() + facts.name[1:]


@pytest.mark.parametrize("word", ["name", "label", "option"])
def test_no_two_statistics_are_called_the_same(word: str) -> None:
    words = [getattr(facts, word) for facts in STATISTICS.values()]
    assert len(set(words)) == len(words)


def test_what_else_a_statistic_is_called_is_the_name_of_no_other() -> None:
    assert set(SYNONYMS).isdisjoint(StatisticKind)
    asked_in_sql = [name for kind in StatisticKind for name in kind.facts.sql]
    assert len(set(asked_in_sql)) == len(asked_in_sql)


@pytest.mark.parametrize("kind", StatisticKind)
def test_what_the_table_says_of_errors_is_what_quotes_say(kind: StatisticKind) -> None:
    """An error in rows has no value, and only an error that needs it is said by group size."""
    facts = kind.facts
    groups = [] if facts.takes_predictors else ALONG
    raw = question(of_kind(kind), group_by=groups)
    quote = blueprint_of(raw, schema_of()).describe(assumed_rows=1_000)
    (said, *others), (drawn,) = quote["statistics"], quote["draws"]
    assert bool(others) == facts.takes_predictors
    assert (drawn["mechanism"],) == released_by(facts, Mode.PURE)
    assert all(("rank_error" in one) == facts.error_in_rows for one in said["accuracy"])
    assert ("by_group_size" in said) == (facts.depends_on_rows and bool(groups))
    assert (said.get("range") == [17, 90]) == (facts.quantity is Quantity.VALUE)
