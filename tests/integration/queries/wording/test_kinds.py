"""Kinds of questions: stored as codes, said in the reader's language, found by what they name."""

from typing import Any

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.text import capfirst

from dpgov.privacy.plan.parsing.plans import MAX_STATISTICS
from dpgov.privacy.plan.statistics import STATISTICS, Facts, StatisticKind
from dpgov.queries.kinds import LONGEST_KIND, is_kind, kind_in_words, kind_of, statistics_of
from tests.integration.language.marking import OPEN, mark


def _kind(*statistics: str, by_group: bool = False) -> str:
    groups: list[dict[str, Any]] = [{"column": "sex"}] if by_group else []
    return kind_of({"statistics": [{"statistic": key} for key in statistics], "group_by": groups})


@pytest.mark.parametrize(
    ("statistics", "by_group", "code", "english", "german"),
    [
        (["count"], False, "count-overall", "Count", "Anzahl"),
        (["count", "count"], True, "histogram-by_group", "Histogram", "Histogramm"),
        (
            *(["count", "sum"], True, "histogram.sum-by_group"),
            *("Histogram + sum by group", "Histogramm + Summe nach Gruppen"),
        ),
        (["sum", "mean"], False, "sum.mean-overall", "Sum + mean", "Summe + Mittelwert"),
        (["mean"], True, "mean-by_group", "Mean by group", "Mittelwert nach Gruppen"),
        (["cdf"], True, "cdf-by_group", "Cumulative distribution", "Kumulierte Verteilung"),
        (
            *(["logistic_regression"], False, "logistic_regression-overall"),
            *("Logistic regression", "Logistische Regression"),
        ),
    ],
)
def test_a_kind_is_stored_as_a_code_and_said_in_the_reader_s_language(
    statistics: list[str], by_group: bool, code: str, english: str, german: str
) -> None:
    assert _kind(*statistics, by_group=by_group) == code
    for language, words in ((settings.LANGUAGE_CODE, english), ("de", german)):
        with translation.override(language):
            assert kind_in_words(code) == words


@pytest.mark.parametrize("by_group", [False, True])
@pytest.mark.parametrize("statistic", StatisticKind)
def test_a_kind_is_found_by_what_it_names_and_by_nothing_else(
    statistic: StatisticKind, by_group: bool
) -> None:
    """Codes are read and not searched: one key may be a part of another."""
    shown = "histogram" if by_group and statistic is StatisticKind.COUNT else statistic.value
    assert statistics_of(_kind(statistic, by_group=by_group)) == [shown]


@pytest.mark.parametrize(
    "text",
    ["", "-", "mean", "Mean", "mean-", "-overall", "mean.-overall", "mean-by_group-overall",
     "mean.mean-overall", "mode-overall", "Mean + sum by group", "mean+sum-overall",
     "mean-overall ", "mean-overall\n"],
)  # fmt: skip
def test_what_is_no_code_is_no_kind_and_shown_as_it_is(text: str) -> None:
    """A statistic's key alone means every kind that names it."""
    assert (is_kind(text), statistics_of(text)) == (False, [])
    with translation.override("de"):
        assert kind_in_words(text) == text


def test_every_code_is_read_back_and_has_room_in_its_column() -> None:
    every = [kind.value for kind in StatisticKind]
    for by_group in (False, True):
        kind = _kind(*every, *every, by_group=by_group)
        assert len(statistics_of(kind)) == len(every) > MAX_STATISTICS
        assert len(kind) < LONGEST_KIND


def test_every_kind_can_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    mark(monkeypatch)
    with translation.override("de"):
        for key in STATISTICS:
            assert OPEN in kind_in_words(f"{key}-overall")
        assert kind_in_words("histogram.sum-by_group").count(OPEN) == 3


@pytest.mark.parametrize("facts", STATISTICS.values(), ids=STATISTICS)
def test_a_filter_calls_a_statistic_as_its_kind_is_called(facts: Facts) -> None:
    with translation.override("de"):
        assert translation.gettext(facts.label) == capfirst(translation.gettext(facts.name))
