"""Every statistic is answered, shown, explained and taken away as a file."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.privacy.plan.statistics import OF_ROWS, StatisticKind
from dpgov.queries.models import Query, Release
from dpgov.queries.wording.words import statistic_in_words, term_in_words
from dpgov.tenants.models import Membership
from tests.integration.queries.web.test_quote_page import text_of

Ask = Callable[..., Query]
BY_AGE = {"column": "age", "edges": [0, 20, 40, 100]}
BY_HOURS = {"column": "hours", "edges": [0, 30, 80]}
BY_SEX = {"column": "sex", "categories": ["Female", "Male"]}


def statistic(kind: StatisticKind) -> dict[str, Any]:
    """One of this kind, of the ages."""
    asked: dict[str, Any] = {"statistic": kind.value}
    if kind not in OF_ROWS:
        asked["column"] = "age"
    asked |= {"quantiles": [0.25, 0.75]} if kind is StatisticKind.QUANTILES else {}
    if kind.facts.takes_two_values:
        return asked | {"column": "sex", "predictors": ["age"]}
    return asked | ({"predictors": ["sex"]} if kind.facts.takes_predictors else {})


@pytest.mark.parametrize("kind", list(StatisticKind))
@pytest.mark.parametrize("groups", [(), (BY_SEX,)], ids=["alone", "grouped"])
def test_every_statistic_is_shown_and_written_to_a_file(
    kind: StatisticKind,
    groups: tuple[Any, ...],
    browser: Client,
    analyst: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
) -> None:
    """E1: page and file hold the numbers that were released."""
    along = (BY_HOURS, BY_AGE)[-kind.facts.along :] if kind.facts.along else ()
    by = () if kind.facts.takes_predictors else (*groups, *along)
    query = ask(analyst, statistics=(statistic(kind),), group_by=by, epsilon=2)
    answer_now()
    body = json.loads(Release.objects.get(query=query).body)
    page = browser.get(f"/queries/{query.pk}/")
    assert page.status_code == 200
    for column in body["statistics"]:
        term = column if "term" in column else None
        words = statistic_in_words(column) if term is None else term_in_words(term)
        assert words in text_of(page.content)
    file = browser.get(f"/queries/{query.pk}/download/csv/").content.decode()
    lines = list(csv.DictReader(io.StringIO(file)))
    released = [cell["value"] for column in body["statistics"] for cell in column["cells"]]
    assert [float(line["value"]) for line in lines] == released


def test_a_quantile_has_its_error_in_rows_and_no_interval(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """E5: nothing is claimed of the value itself."""
    asked = (statistic(StatisticKind.MEDIAN), statistic(StatisticKind.QUANTILES))
    query = ask(analyst, statistics=asked, epsilon=2)
    answer_now()
    body = json.loads(Release.objects.get(query=query).body)
    stated = body["statistics"][0]["cells"][0]["accuracy"][1]
    rows, share = stated["rank_error"], stated["not_counted"]["share"]
    page = browser.get(f"/queries/{query.pk}/")
    said = text_of(page.content)
    shown = body["statistics"][0]["cells"][0]["value"]
    assert f"{shown}<small>, within {rows} rows that count at 95%</small>" in page.text
    left_out = f"{100 * share:g}% of the rows that share one value"
    assert f"with 95% confidence, not counting {left_out}." in said
    assert f"In the errors of age these do not count: {left_out}." in said
    assert "The true number lies between" not in said
    assert "Quantile of age at 25%" in said
    file = browser.get(f"/queries/{query.pk}/download/csv/").content.decode()
    first, second, _ = csv.DictReader(io.StringIO(file))
    assert (first["plus_minus_95"], first["rank_error_95"]) == ("", str(float(rows)))
    assert (first["quantile"], second["quantile"]) == ("", "0.25")
    assert first["not_counted_share"] == str(share)


def test_an_extreme_says_what_was_looked_for_instead_of_it(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    query = ask(analyst, statistics=(statistic(StatisticKind.MAX),), epsilon=2)
    answer_now()
    beyond = json.loads(Release.objects.get(query=query).body)["statistics"][0]["rows_beyond"]
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert f"looked for where about {beyond} rows lie above it" in said


def test_statistics_of_one_draw_are_explained_with_their_one_price(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    shared = (statistic(StatisticKind.MEAN), statistic(StatisticKind.SUM))
    query = ask(analyst, statistics=shared, epsilon=1)
    answer_now()
    body = json.loads(Release.objects.get(query=query).body)
    assert len(body["draws"]) == 1
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert (
        "Mean of age and sum of age are made of the same noisy numbers, which are paid for once: "
        "ε 1 for all of them." in said
    )
    file = browser.get(f"/queries/{query.pk}/download/csv/").content.decode()
    assert {line["draw"] for line in csv.DictReader(io.StringIO(file))} == {"1"}
