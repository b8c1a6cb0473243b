"""J6: whatever people type, pages and figures carry it as text."""

import json
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.budgets.history import spending_thinned
from dpgov.dashboards.budget.figures import DayMark, burn_down, by_day, shares
from dpgov.dashboards.budget.shares import BudgetShare
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.queries.pictures.figures import Leads
from dpgov.queries.wording.plotting import inert, labelled_axis
from dpgov.tenants.models import Membership, Tenant, User
from tests.integration.dashboards.corpus import SCRIPTS
from tests.integration.dashboards.reading import page

ClientFor = Callable[[Membership], Client]


def _dangers(html: str) -> list[str]:
    parser = _Dangers()
    parser.feed(html)
    return parser.found


class _Dangers(HTMLParser):
    """Collects everything in a page that a browser would run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "script" and values.get("type") != "application/json" and "src" not in values:
            self.found.append("inline script")
        if (values.get("src") or "/static/").split("/")[1] != "static":
            self.found.append(f"{tag} from {values['src']}")
        for name, value in attributes:
            if name.startswith("on") or name == "style" or "javascript:" in (value or "").lower():
                allowed = tag == "input" or name in ("content", "aria-label", "data-label")
                if not allowed or name.startswith("on"):
                    self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("role", ["owner", "analyst"])
def test_no_page_runs_what_somebody_typed(
    role: str,
    in_use: list[Query],
    dataset: Dataset,
    paths: dict[str, str],
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    """J6: in the names of tenant, dataset and people, the description, columns and categories."""
    client = client_for(request.getfixturevalue(role))
    for text in SCRIPTS:
        _type_everywhere(text, dataset)
        for path in paths.values():
            assert _dangers(page(client, path)) == [], text


def _type_everywhere(text: str, dataset: Dataset) -> None:
    Tenant.objects.update(name=text)
    User.objects.update(name=text)
    Dataset.objects.update(name=text, description=text)
    plan = {
        "dataset": dataset.slug,
        "statistics": [{"statistic": "mean", "column": text}],
        "where": [{"column": text, "op": "in", "value": [text, text]}],
        "group_by": [{"column": text, "categories": [text]}],
        "epsilon": 0.5,
    }
    Query.objects.update(plan=plan)


def test_a_search_is_given_back_as_text(
    dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    client, history = client_for(officer), reverse("dashboards:history")
    names = ("dataset", "analyst", "state", "statistic", "since", "sort", "page")
    for text in SCRIPTS:
        response = client.get(history, dict.fromkeys(names, text))
        assert response.status_code == 422
        assert _dangers(response.content.decode()) == [], text


@pytest.mark.parametrize("text", SCRIPTS)
def test_a_label_holds_no_markup_of_plotlys_own(text: str) -> None:
    """J6: Plotly reads tags, entities and templates in labels, so none may reach it."""
    label = inert(text)
    assert "<" not in label
    assert ">" not in label
    assert "{" not in label
    assert "&" not in label.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace(
        "&#123;", ""
    )


@pytest.mark.parametrize("text", SCRIPTS)
def test_every_text_of_a_figure_is_made_inert(text: str, dataset: Dataset) -> None:
    parts = [BudgetShare(text, 1, 2), BudgetShare(f"{text} again", 3)]
    for made in (
        shares(parts, split=True, leads=Leads()),
        burn_down(
            spending_thinned(dataset.budget)[0],
            first=None,
            until=dataset.created_at,
            marks=[DayMark(dataset.created_at.date(), text)],
        ),
        by_day({text: Counter({dataset.created_at.date(): 1})}, "ε", Leads()),
        {"layout": {"xaxis": labelled_axis([text], text)}},
    ):
        strings = [found for found in _strings(made) if "hover" not in found[0]]
        assert not [found for _, found in strings if "<" in found or "%{" in found]


def test_long_and_many_line_labels_are_cut_to_one_line() -> None:
    assert inert("a\nb\u202ec\x00") == "a b c "
    assert inert("x" * 1000, 10) == "x" * 9 + "…"


def test_labels_that_look_alike_keep_their_own_places() -> None:
    axis = labelled_axis(["1", "01", "x" * 100, "x" * 101])
    assert axis["tickvals"] == [0, 1, 2, 3]


def _strings(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in _strings(item, key)]
    if isinstance(value, list | tuple):
        return [found for item in value for found in _strings(item, name)]
    return [(name, json.loads(json.dumps(value)))] if isinstance(value, str) else []
