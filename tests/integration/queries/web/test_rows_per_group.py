"""M9a: rows of a unit within a group, asked in the form and said of the answer."""

from collections.abc import Callable

from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.queries.models import Query
from dpgov.queries.web.forms.state import from_plan
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.comparing import comparable
from dpgov.tenants.models import Membership
from tests.cast import answer_now
from tests.integration.datasets.registering import register, uploaded
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_form_to_plan import plan_of
from tests.made_once import made_once

NAMED = {"unit": "person", "private_id": "city", "max_rows_per_unit": "4"}
# 100 people with four rows each.
VISITS = "age,sex,city\n" + "".join(f"{row % 90},f,P{row // 4}\n" for row in range(400))
LIMITS = {"groups": 1, "rows_per_group": 2}


@made_once
def visits(owner: Membership, client_for: Callable[[Membership], Client]) -> Dataset:
    browser = client_for(owner)
    response = register(browser, uploaded(browser, VISITS.encode()), **NAMED)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.select_related("budget").get()


def filled(**limits: str) -> Filled:
    form = Filled(epsilon="0.5").add("statistic", kind="count")
    form.fields |= limits
    return form


def test_the_form_asks_for_it_and_is_filled_with_it_again(visits: Dataset) -> None:
    asked = plan_of(filled(unit_rows="2", unit_groups="1"), visits)
    assert asked["per_unit"] == LIMITS
    again = from_plan(asked, schema_of(current_version(visits)))
    assert (again["unit_rows"], again["unit_groups"]) == ("2", "1")
    assert "per_unit" not in plan_of(filled(), visits)


def test_a_limit_above_the_declared_one_is_refused_at_its_field(
    visits: Dataset, browser: Client
) -> None:
    posted = filled(unit_rows="5").posted() | {"action": "price"}
    page = browser.post("/datasets/people/ask/", posted)
    assert "from 1 to 4" in str(page.context["form"].per_unit.errors["unit_rows"])
    assert "Use fewer rows of each privacy unit" in page.content.decode()


def test_the_answer_is_of_so_many_rows_of_each_and_says_so(
    visits: Dataset,
    analyst: Membership,
    browser: Client,
    api_for: Callable[[Membership], APIClient],
) -> None:
    posted = filled(unit_rows="2").posted(price="0.5")
    page = browser.post("/datasets/people/ask/", posted)
    assert page.status_code == 302
    query = Query.objects.get()
    assert answer_now(query.pk)
    body = api_for(analyst).get(f"/api/v1/queries/{query.pk}/release/").json()
    assert body["plan"]["per_unit"] == {"rows_per_group": 2}
    (draw,) = body["draws"]
    assert draw["sensitivity_l1"] == 2
    # 100 people with two rows each; noise of more than forty would come once in 10^8 times.
    assert abs(body["statistics"][0]["cells"][0]["value"] - 200) <= 90


def test_it_is_not_compared_with_an_answer_of_all_rows() -> None:
    plan = {"statistics": [{"statistic": "count"}], "group_by": []}
    assert comparable(plan, plan)
    assert comparable(plan | {"per_unit": LIMITS}, plan | {"per_unit": LIMITS})
    assert not comparable(plan | {"per_unit": LIMITS}, plan)


def test_it_is_said_in_words() -> None:
    count = {"statistics": [{"statistic": "count"}]}
    grouped = count | {"group_by": [{"column": "sex", "categories": ["f"]}]}
    said = [
        in_words(plan | {"per_unit": limits})
        for plan, limits in (
            (count, {"rows_per_group": 1}),
            (count, {"groups": 2}),
            (grouped, {"rows_per_group": 3}),
            (grouped, {"groups": 2}),
            (grouped, LIMITS),
        )
    ]
    assert [words.removeprefix("Count of rows") for words in said] == [
        ", using at most 1 row of each privacy unit",
        "",
        ", for each sex (f), using at most 3 rows of each privacy unit in a group",
        ", for each sex (f), using at most 2 groups of each privacy unit",
        ", for each sex (f), using at most 1 group of each privacy unit and 2 rows in each",
    ]
