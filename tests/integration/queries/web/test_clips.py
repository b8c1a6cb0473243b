"""F12: values clipped narrower than declared: asked in the form and the API, said of the answer."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.models import Query
from dpgov.queries.web.forms.state import from_plan
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.comparing import comparable
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.reusing import plan, ways
from tests.integration.queries.web.test_form_to_plan import plan_of

MEAN = {"statistic": "mean", "column": "age"}
CLIPPED: dict[str, Any] = MEAN | {"clip": {"from": 20, "to": 60}}
Ask = Callable[..., Query]


def test_the_form_asks_for_it_and_is_filled_with_it_again(dataset: Dataset) -> None:
    row = {"kind": "mean", "column": "age", "clip_from": "20", "clip_to": "60"}
    asked = plan_of(Filled().add("statistic", **row), dataset)
    assert asked["statistics"] == [CLIPPED]
    again = from_plan(asked, schema_of(current_version(dataset)))
    assert (again["statistic-0-clip_from"], again["statistic-0-clip_to"]) == ("20", "60")


def test_what_another_statistic_hides_is_not_asked(dataset: Dataset) -> None:
    row = {"kind": "median", "column": "age", "clip_from": "x", "clip_to": "60"}
    asked = plan_of(Filled().add("statistic", **row), dataset)
    assert asked["statistics"] == [{"statistic": "median", "column": "age"}]


def test_a_clip_beyond_the_bounds_is_refused_at_its_field(
    browser: Client, dataset: Dataset
) -> None:
    row = {"kind": "mean", "column": "age", "clip_to": "100000"}
    posted = Filled().add("statistic", **row).posted()
    page = browser.post("/datasets/visits/ask/", posted | {"action": "price"})
    (statistic,) = page.context["form"].statistics
    assert "Clip within the declared bounds" in str(statistic.errors["clip_to"])


def test_the_api_answers_it_and_says_so(
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[[Membership], APIClient],
    ask: Ask,
    answer_now: Callable[[], int],
) -> None:
    query = ask(analyst, statistics=(CLIPPED, MEAN))
    answer_now()
    api = api_for(analyst)
    body = api.get(f"/api/v1/queries/{query.pk}/release/").json()
    assert [one.get("clip") for one in body["statistics"]] == [{"from": 20, "to": 60}, None]
    assert body["statistics"][0]["range"] == [20, 60]


def test_a_file_tells_it_from_the_same_statistic_without(
    browser: Client, analyst: Membership, dataset: Dataset, ask: Ask, answer_now: Callable[[], int]
) -> None:
    query = ask(analyst, statistics=(CLIPPED, MEAN))
    answer_now()
    file = browser.get(f"/queries/{query.pk}/download/csv/").content.decode()
    lines = list(csv.DictReader(io.StringIO(file)))
    assert [(one["clip_from"], one["clip_to"]) for one in lines] == [("20", "60"), ("", "")]


def test_only_the_same_clip_is_free(
    analyst: Membership, dataset: Dataset, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """F12: an answer of the declared bounds is no answer of narrower ones, nor the other way."""
    ask(analyst, statistics=(CLIPPED,))
    answer_now()
    assert ways(dataset, plan(CLIPPED)) != []
    assert ways(dataset, plan(MEAN)) == []
    assert ways(dataset, plan(MEAN | {"clip": {"from": 20, "to": 61}})) == []


def test_it_is_said_in_words() -> None:
    said = in_words({"statistics": [CLIPPED]})
    assert said == "Mean of age, clipped to 20 to 60"


def test_answers_of_other_clips_are_not_compared() -> None:
    assert not comparable(plan(CLIPPED), plan(MEAN))
    assert comparable(plan(CLIPPED), plan(CLIPPED, epsilon=1))


@pytest.mark.parametrize("clip", [{}, {"to": 60}, {"from": 20}])
def test_an_end_that_is_left_out_is_the_declared_one(
    dataset: Dataset, clip: dict[str, int]
) -> None:
    schema = schema_of(current_version(dataset))
    asked = parse_plan(plan(MEAN | {"clip": clip}), schema, dataset="visits").as_json()
    (statistic,) = asked["statistics"]
    found = statistic.get("clip", {})
    assert {end: found.get(end) for end in clip} == clip
    assert bool(found) is bool(clip)
