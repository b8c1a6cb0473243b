"""SQL through the doors: priced, never asked by itself, refused at its place."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
GOOD = "SELECT sex, AVG(age) FROM visits WHERE hours > 3 GROUP BY sex WITH EPSILON 0.25"


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    return api_for(analyst)


@pytest.fixture
def page(dataset: Dataset) -> str:
    return reverse("queries:ask_sql", args=[dataset.slug])


def test_a_text_leads_to_the_form_that_asks_the_same(
    client_for: ClientFor, analyst: Membership, dataset: Dataset, page: str
) -> None:
    answer = client_for(analyst).post(page, {"sql": GOOD.replace("visits", f'"{dataset.slug}"')})
    shown = answer.content.decode()
    assert answer.status_code == 200
    assert "Mean of age, where hours is more than 3, for each sex" in shown
    assert 'value="0.25"' in shown
    assert not Query.objects.exists()


def test_the_example_of_the_page_can_be_asked(
    client_for: ClientFor, analyst: Membership, page: str
) -> None:
    client = client_for(analyst)
    form = client.get(page).context["form"]
    answer = client.post(page, {"sql": form["sql"].value(), "epsilon": form["epsilon"].value()})
    assert answer.status_code == 200
    assert answer.templates[0].name == "queries/ask/ask.html"


def test_the_reference_names_what_arranges_an_answer_and_dates_only_where_there_are_some(
    client_for: ClientFor, analyst: Membership, page: str
) -> None:
    reference = client_for(analyst).get(page).text.partition("SQL reference")[2]
    parts = re.findall(r'<dt translate="no">([^<]+)</dt>', reference)
    assert parts[3:6] == ["GROUP BY", "HAVING", "ORDER BY, LIMIT"]
    assert "DATE_TRUNC" not in reference


@pytest.mark.parametrize("name", ["data", "adult-census-income", '"any name at all"', "Visits"])
def test_any_name_may_stand_after_from_because_there_is_one_table(
    name: str, client_for: ClientFor, analyst: Membership, dataset: Dataset, page: str
) -> None:
    """The text is asked of the dataset whose page it is, whatever it says."""
    answer = client_for(analyst).post(page, {"sql": GOOD.replace("visits", name)})
    assert answer.status_code == 200
    assert answer.context["offer"].quote.plan.as_json()["dataset"] == dataset.slug


@pytest.mark.parametrize(
    ("text", "beside", "price"),
    [
        ("SELECT COUNT(*) FROM data", "0.25", "0.25"),
        ("SELECT COUNT(*) FROM data WITH EPSILON 0.125", "0.25", "0.125"),
    ],
)
def test_the_price_follows_the_text_and_the_amount_beside_it(
    text: str, beside: str, price: str, client_for: ClientFor, analyst: Membership, page: str
) -> None:
    answer = client_for(analyst).post(f"{page}price/", {"sql": text, "epsilon": beside})
    assert answer.status_code == 200
    assert answer.context["offer"].price == price
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"sql": "SELECT COUNT(*) FROM data"}, "End with the price"),
        ({"sql": "SELECT", "epsilon": "1"}, "Line 1"),
        ({"sql": "SELECT COUNT(*) FROM", "epsilon": "1"}, "be read as SQL, near “FROM”"),
        ({"sql": "SELECT COUNT(*) FROM data", "epsilon": "1,5"}, "1.5"),
        ({"epsilon": "1"}, "Write one SELECT statement"),
    ],
)
def test_what_has_no_price_yet_says_why(
    sent: dict[str, str], said: str, client_for: ClientFor, analyst: Membership, page: str
) -> None:
    answer = client_for(analyst).post(f"{page}price/", sent)
    assert answer.status_code == 200
    assert said in answer.content.decode()


def test_what_cannot_be_read_is_shown_with_its_place_and_kept(
    client_for: ClientFor, analyst: Membership, dataset: Dataset, page: str
) -> None:
    text = f'SELECT COUNT(*),\n AVG(agee) FROM "{dataset.slug}" WITH EPSILON 1'
    answer = client_for(analyst).post(page, {"sql": text})
    shown = answer.content.decode()
    assert answer.status_code == 422
    assert "Line 2, column 2: Unknown column “agee”" in shown
    assert "AVG(agee)" in shown


def test_the_api_answers_with_the_plan_and_its_price(api: APIClient, dataset: Dataset) -> None:
    url = f"/api/v1/datasets/{dataset.slug}/sql/"
    text = GOOD.replace("visits", f'"{dataset.slug}"')
    answer = api.post(url, {"sql": text}, format="json")
    assert answer.status_code == 200
    assert answer.json()["cost_epsilon"] == 0.25
    assert answer.json()["plan"]["statistics"] == [{"statistic": "mean", "column": "age"}]
    assert not Query.objects.exists()


@pytest.mark.parametrize("body", [{}, {"sql": 7}, [], {"sql": "DROP TABLE visits"}])
def test_the_api_refuses_anything_else(api: APIClient, dataset: Dataset, body: object) -> None:
    answer = api.post(f"/api/v1/datasets/{dataset.slug}/sql/", body, format="json")
    assert answer.status_code == 400
    assert not Query.objects.exists()


RUNNING = """SELECT sex, WIDTH_BUCKET(age, 20, 60, 4) AS ages,
  SUM(COUNT(*)) OVER (PARTITION BY sex ORDER BY ages) FROM visits GROUP BY ages, sex"""
BY_AGE = {"column": "age", "edges": [20, 30, 40, 50, 60]}
AS_FORM = {
    RUNNING: ("cdf", [{"column": "sex"}, BY_AGE]),
    "SELECT JOINT_CDF(age, hours) FROM visits GROUP BY WIDTH_BUCKET(age, 20, 60, 4), "
    "BINS(hours, 10, 40)": ("joint_cdf", [BY_AGE, {"column": "hours", "edges": [10, 40]}]),
}


@pytest.mark.parametrize("text", AS_FORM)
def test_counts_that_run_are_the_form_s_question_at_its_price_and_error(
    text: str,
    api: APIClient,
    client_for: ClientFor,
    analyst: Membership,
    dataset: Dataset,
    page: str,
) -> None:
    """M76: by both doors; the quote of SQL is that of the plan, and the form is filled with it."""
    kind, groups = AS_FORM[text]
    asked = {"statistics": [{"statistic": kind}], "group_by": groups, "epsilon": "0.5"}
    there = f"/api/v1/datasets/{dataset.slug}/"
    by_plan = api.post(f"{there}quote/", asked, format="json").json()
    by_sql = api.post(f"{there}sql/", {"sql": f"{text} WITH EPSILON 0.5"}, format="json").json()
    assert by_sql.pop("arrangement") == ""
    assert by_sql == by_plan
    shown = client_for(analyst).post(page, {"sql": text, "epsilon": "0.5"})
    assert shown.context["offer"].quote.plan.as_json() == by_plan["plan"]
    assert not Query.objects.exists()


def test_a_window_that_means_something_else_is_refused_by_both_doors_at_its_place(
    api: APIClient, client_for: ClientFor, analyst: Membership, dataset: Dataset, page: str
) -> None:
    text = RUNNING.replace("BY ages) ", "BY ages DESC) ")
    answer = api.post(
        f"/api/v1/datasets/{dataset.slug}/sql/", {"sql": f"{text} WITH EPSILON 1"}, format="json"
    )
    assert answer.status_code == 400
    assert "Line 2, column 54: Counts run from the lowest edge up" in answer.content.decode()
    shown = client_for(analyst).post(page, {"sql": text, "epsilon": "1"})
    assert shown.status_code == 422
    assert "leave DESC out" in shown.content.decode()
    assert not Query.objects.exists()
