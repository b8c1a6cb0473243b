"""F14: An arranged answer through its doors: the same release, the same price, other rows in sight.

What could leak: nothing is read but the stored release, which its reader sees whole. What could be
overspent: a wish about the order that made a new question of an old one. Neither happens here.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

BY_SEX: dict[str, Any] = {
    "statistics": [{"statistic": "sum", "column": "age"}, {"statistic": "count"}],
    "group_by": [{"column": "education", "categories": ["Primary", "Secondary", "Tertiary"]}],
}
SQL = (
    "SELECT education, SUM(age) / COUNT(*) AS age FROM visits GROUP BY education"
    " HAVING COUNT(*) > -1000000 ORDER BY age DESC LIMIT 2 WITH EPSILON 0.5"
)
WISHES = "sort=-r1&first=2&having=2>-1000000&ratio=1/2"
Stored = Callable[[dict[str, Any]], Query]


@made_once
def query(stored: Stored) -> Query:
    return stored(BY_SEX)


def test_the_page_shows_what_was_wished_and_says_what_it_leaves_out(
    browser: Client, query: Query
) -> None:
    page = browser.get(f"/queries/{query.pk}/?{WISHES}")
    shown = [row.labels for row in page.context["table"].rows]
    assert len(shown) == 2
    ratios = [row.ratios[0].value for row in page.context["table"].rows]
    assert len(ratios) == 2
    text = text_of(page.content)
    assert "Sorted by Sum of age divided by Count of rows, largest first." in text
    assert "2 groups are not shown." in text
    assert "Show all groups as released" in text


def test_without_wishes_every_group_is_shown_in_its_declared_order(
    browser: Client, query: Query
) -> None:
    page = browser.get(f"/queries/{query.pk}/")
    shown = [row.labels for row in page.context["table"].rows]
    assert shown == page.context["answer"].labels
    assert "Show all groups" not in text_of(page.content)


@pytest.mark.parametrize("wish", ["sort=9", "first=none", "having=1>x", "ratio=1/1"])
def test_a_wish_that_the_answer_does_not_have_is_named_and_all_groups_are_shown(
    wish: str, browser: Client, query: Query
) -> None:
    page = browser.get(f"/queries/{query.pk}/?{wish}")
    assert len(page.context["table"].rows) == 4
    assert page.context["arrange_refusal"] in text_of(page.content)
    assert page.context["arrange_refusal"]


def test_the_form_leads_to_the_address_that_says_the_same(browser: Client, query: Query) -> None:
    fields = {"sort": "-r1", "first": "2", "of": "2", "op": ">", "number": "−1 000 000"}
    fields |= {"above": "1", "below": "2"}
    answer = browser.get(f"/queries/{query.pk}/arrange/", fields)
    assert answer.status_code == 302
    assert answer["Location"] == f"/queries/{query.pk}/?{WISHES.replace('>', '%3E')}#answer-table"


@pytest.mark.parametrize(
    ("language", "name", "typed", "could_be"),
    [
        ("de", "number", "1.500", "1500 oder 1,5"),
        ("en", "number", "0,05", "Write 0.05"),
        ("en", "first", "1.500", "1500 or 1.5"),
    ],
)
def test_a_number_that_could_be_two_is_refused_with_both_and_not_read_as_either(
    language: str, name: str, typed: str, could_be: str, browser: Client, query: Query
) -> None:
    """F14: a form leads to no address that reads a typed thousand and a half as one and a half."""
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    fields = {"of": "1", "op": ">", name: typed}
    page = browser.get(f"/queries/{query.pk}/arrange/", fields, follow=True)
    assert could_be in page.context["arrange_refusal"]
    assert len(page.context["table"].rows) == 4


def test_a_text_that_was_unclear_in_another_language_is_no_number_either(
    browser: Client, query: Query
) -> None:
    """F14: the page may be in another language than the form was."""
    page = browser.get(f"/queries/{query.pk}/?unclear-number=1.500")
    assert "number=1.500" in page.context["arrange_refusal"]


def test_what_the_form_of_the_address_shows_is_what_the_address_says(
    browser: Client, query: Query
) -> None:
    form = browser.get(f"/queries/{query.pk}/?{WISHES}").context["arrange"]
    assert form["sort"].value() == "-r1"
    assert (form["of"].value(), form["op"].value(), form["number"].value()) == (
        "2",
        ">",
        "-1000000",
    )
    assert (form["above"].value(), form["below"].value()) == ("1", "2")


def test_sql_with_an_order_asks_the_same_question_and_leads_to_its_arranged_answer(
    browser: Client, dataset: Dataset, query: Query
) -> None:
    form = browser.post(reverse("queries:ask_sql", args=[dataset.slug]), {"sql": SQL})
    assert form.context["form"].data["shown"] == WISHES
    assert form.context["offer"].quote.plan.as_json()["statistics"] == query.plan["statistics"]
    assert f'name="shown" value="{WISHES.replace("&", "&amp;").replace(">", "&gt;")}"' in (
        form.content.decode()
    )


def test_an_address_in_place_of_a_wish_leads_nowhere_else(
    browser: Client, dataset: Dataset, query: Query
) -> None:
    """What comes back from a form is read as an arrangement, never followed."""
    sent = Filled().add("statistic", kind="count").posted() | {"shown": "//elsewhere.example/"}
    answer = browser.post(f"/datasets/{dataset.slug}/ask/", sent | {"price": sent["epsilon"]})
    assert answer.status_code == 302
    assert answer["Location"] == f"/queries/{Query.objects.latest('submitted_at').pk}/"


def test_a_free_answer_out_of_sql_is_arranged_as_the_text_says(
    browser: Client, dataset: Dataset, query: Query
) -> None:
    form = browser.post(reverse("queries:ask_sql", args=[dataset.slug]), {"sql": SQL})
    data = form.context["form"].data
    choice = form.context["offer"].free[0].choice
    sent = {name: data.getlist(name) for name in data} | {"choice": choice}
    answer = browser.post(f"/datasets/{dataset.slug}/reuse/", sent)
    taken = Query.objects.get(reuse=True)
    assert answer["Location"] == f"/queries/{taken.pk}/?{WISHES.replace('>', '%3E')}"


def test_the_api_gives_the_groups_in_the_wished_order(
    api_for: Callable[[Membership], APIClient], analyst: Membership, query: Query
) -> None:
    found = api_for(analyst).get(f"/api/v1/queries/{query.pk}/groups/?{WISHES}").json()
    assert found["groupings"] == ["education"]
    assert found["statistics"] == ["Sum of age", "Count of rows"]
    assert found["left_out"] == 2
    assert [len(row["cells"]) for row in found["rows"]] == [2, 2]
    values = [row["ratios"][0]["value"] for row in found["rows"]]
    assert values == sorted(values, reverse=True)


def test_the_api_refuses_what_the_answer_does_not_have(
    api_for: Callable[[Membership], APIClient], analyst: Membership, query: Query
) -> None:
    answer = api_for(analyst).get(f"/api/v1/queries/{query.pk}/groups/?sort=9")
    assert answer.status_code == 400
    assert "sort=9" in answer.content.decode()


def test_sql_over_the_api_says_how_to_read_its_groups(
    api_for: Callable[[Membership], APIClient], analyst: Membership, dataset: Dataset
) -> None:
    url = f"/api/v1/datasets/{dataset.slug}/sql/"
    assert api_for(analyst).post(url, {"sql": SQL}, format="json").json()["arrangement"] == WISHES


def test_a_ready_made_question_is_published_whole(
    client_for: Callable[[Membership], Client], owner: Membership, dataset: Dataset
) -> None:
    url = reverse("queries:ready_made_new", args=[dataset.slug])
    page = client_for(owner).post(url, {"sql": SQL})
    assert "Publish the whole table" in text_of(page.content)
