"""F12: columns that one question computes: in the form, in SQL and over REST, and free again."""

from collections.abc import Callable

from django.http import QueryDict
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.free.finding import Origin
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.web.forms.state import from_plan
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.reusing import plan, ways
from tests.integration.queries.web.test_form_to_plan import plan_of
from tests.small_dataset import ROWS

SUM = {"formula": "sum", "of": ["age", "hours"]}
TOTAL = {"statistic": "sum", "column": "age + hours"}
PAGE = "/datasets/visits/ask/"


def computing(first: str, second: str, kind: str = "sum") -> Filled:
    return Filled().add("computed", kind=kind, first=first, second=second)


def test_the_form_asks_of_what_it_computes_and_is_filled_with_it_again(dataset: Dataset) -> None:
    filled = computing("hours", "age").add("statistic", kind="sum", column="age + hours")
    filled.add("filter", column="age + hours", op="<", value="150")
    filled.add("group", column="age + hours", mode="edges", edges="0, 50, 180")
    asked = plan_of(filled, dataset)
    assert (asked["computed"], asked["statistics"]) == ([SUM], [TOTAL])
    assert asked["where"][0]["column"] == asked["group_by"][0]["column"] == "age + hours"
    schema = schema_of(current_version(dataset))
    again = AskForm(from_plan(asked, schema), schema, dataset=dataset.slug).body()
    assert parse_plan(again, schema, dataset=dataset.slug).as_json() == asked


def test_a_column_is_added_offered_and_removed_without_scripts(
    dataset: Dataset, browser: Client
) -> None:
    filled = Filled().add("statistic", kind="mean", column="age")
    new = {"new_first": "age", "new_kind": "difference", "new_second": "hours"}
    page = browser.post(PAGE, filled.posted(action="add_computed", **new)).content.decode()
    assert "From -80 to 100 in steps of 1." in page
    # In the lists of statistics, filters and groups.
    assert page.count('<option value="age - hours"') == 3
    filled.add("computed", kind="difference", first="age", second="hours")
    filter_added = filled.posted(action="add_filter", new_filter="age - hours")
    assert 'name="filter-0-value" value="-80"' in browser.post(PAGE, filter_added).content.decode()
    removed = browser.post(PAGE, filled.posted(action="remove_computed_0")).content.decode()
    assert "age - hours" not in removed


def test_what_cannot_be_computed_is_said_at_its_row(dataset: Dataset, browser: Client) -> None:
    filled = computing("age", "age").add("statistic", kind="count")
    page = browser.post(PAGE, filled.posted(action="price"))
    (row,) = page.context["form"].computed.rows
    assert row.errors == {"second": ["Choose two different columns."]}
    for nonsense in ({"kind": "ratio"}, {"first": ""}, {"first": "x" * 300}):
        forged = Filled().add("computed", **{"kind": "sum", "first": "a", "second": "b"} | nonsense)
        data = QueryDict(mutable=True)
        for name, value in forged.add("statistic", kind="count").posted().items():
            data.setlist(name, value if isinstance(value, list) else [value])
        form = AskForm(data, schema_of(current_version(dataset)), dataset=dataset.slug)
        assert form.body() is None


def test_an_answer_is_near_the_true_number_and_free_for_whoever_asks_it_again(
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[[Membership], APIClient],
    answer_now: Callable[[], int],
) -> None:
    """C1, F12: the same formula in the other order is the same question; another one is not."""
    api, asked = api_for(analyst), plan(TOTAL, epsilon=1, computed=[SUM])
    address = "/api/v1/datasets/visits/queries/"
    posted = api.post(address, asked, format="json", HTTP_IDEMPOTENCY_KEY="computed")
    assert posted.status_code == 202, posted.json()
    answer_now()
    body = api.get(f"/api/v1/queries/{posted.json()['id']}/release/").json()
    (statistic,) = body["statistics"]
    # At a noise of 180 it is further away once in ten thousand million times.
    true = sum(age + hours for age, hours, *_ in ROWS)
    assert abs(statistic["cells"][0]["value"] - true) <= 4_200
    assert (body["plan"]["computed"], statistic["range"][0]) == ([SUM], 0)
    turned = plan(TOTAL, computed=[{"formula": "sum", "of": ["hours", "age"]}])
    assert ways(dataset, turned) == [Origin.IDENTICAL]
    less = {"formula": "difference", "of": ["age", "hours"]}
    other = {"statistic": "sum", "column": "age - hours"}
    assert ways(dataset, plan(other, computed=[less])) == []
    # An answer to another computed column is in nobody's way.
    line = {"statistic": "regression", "column": "age", "predictors": ["age - hours"]}
    assert ways(dataset, plan(line, computed=[less])) == []


def test_a_text_of_sql_is_priced_as_the_plan_that_it_is_read_into(
    analyst: Membership, dataset: Dataset, api_for: Callable[[Membership], APIClient]
) -> None:
    text = "SELECT AVG(hours + age) FROM visits WITH EPSILON 0.5"
    read = api_for(analyst).post("/api/v1/datasets/visits/sql/", {"sql": text}, format="json")
    assert read.json()["plan"]["computed"] == [SUM]
    assert read.json()["plan"]["statistics"] == [{"statistic": "mean", "column": "age + hours"}]
