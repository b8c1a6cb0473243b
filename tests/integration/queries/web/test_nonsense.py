"""L23: answers are never nonsense without a word, on the page and in the API."""

import json
import re
from collections.abc import Callable

from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.privacy.plan.ranges import SAYS_NOTHING
from dpgov.queries.models import Query
from dpgov.queries.wording.presentation import read_answer
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of

QUOTE = "/datasets/visits/quote/"
MEAN = {"statistic": "mean", "column": "age"}
INTERVAL = re.compile(r"between (\u2212?[\d.]+) and (\u2212?[\d.]+) with 95% confidence")


def test_a_poor_mean_says_so_first_before_and_after(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """L23: of ages between 0 and 100 at ε 0.01, no interval leaves 0 to 100, and a word says so."""
    form = Filled(epsilon="0.01").add("statistic", kind="mean", column="age")
    quoted = text_of(browser.post(QUOTE, form.posted(assumed_rows="200")).content)
    assert "The error is as wide as everything between 0 and 100" in quoted
    query = ask(analyst, statistics=(MEAN,), epsilon=0.01)
    assert answer_now() == 1
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    for low, high in INTERVAL.findall(said):
        assert 0 <= float(low) <= float(high) <= 100
    (mean,) = json.loads(Query.objects.get().release.body)["statistics"]
    assert mean["range"] == [0, 100]
    (cell,) = mean["cells"]
    # Nearly always so with so little; whether it is depends on the noise that was drawn.
    error = next(a["value"] for a in cell["accuracy"] if a["confidence_level"] == 0.95)
    nothing = cell["value"] - error <= 0 and cell["value"] + error >= 100
    empty = "its error is as wide as everything it can be, from 0 to 100"
    assert (empty in said) is nothing
    assert mean["warning_code"] == (SAYS_NOTHING if nothing else None), "a code, no sentence"


def test_a_count_has_no_interval_below_zero() -> None:
    """L23: as wide as its error is, it is cut where no count can be."""
    accuracy = [{"confidence_level": 0.95, "value": 30, "message": ""}]
    cells = [{"value": 4, "accuracy": accuracy}]
    body = {
        "groups": [],
        "statistics": [{"statistic": "count", "column": None, "range": [0, 1000], "cells": cells}],
        "guarantee": {"epsilon": 0.1, "neighbouring": "add_remove", "group_size": 1},
        "draws": [],
        "plan": {},
    }
    assert "between 0 and 34 with" in read_answer(body).statistics[0].cells[0].interval


def test_a_quote_for_groups_says_what_the_error_is_by_size(
    browser: Client,
    dataset: Dataset,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """L23: on the page and in the API alike."""
    form = Filled(epsilon="2").add("statistic", kind="mean", column="age")
    form.add("group", column="sex", which="all")
    said = text_of(browser.post(QUOTE, form.posted()).content)
    assert "by the size of a group, at 95%: a group of 10 rows:" in said
    assert "a group of 1,000 rows: ±" in said
    plan = {"statistics": [MEAN], "group_by": [{"column": "sex"}], "epsilon": 2}
    path = "/api/v1/datasets/visits/quote/"
    (described,) = (
        api_for(analyst).post(path, plan, format="json").json()["description"]["statistics"]
    )
    assert [one["rows"] for one in described["by_group_size"]] == [10, 100, 1_000]
