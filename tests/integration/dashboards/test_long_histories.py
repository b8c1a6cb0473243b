"""Pages of a long history: exact whenever the sums were brought up to date, and cut, not slow."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.actor import SWEEPER
from dpgov.dashboards.budget import committed
from dpgov.dashboards.budget.committed import committed_thinned
from dpgov.dashboards.history import view
from dpgov.datasets.models import Dataset
from dpgov.queries.answering.ending import give_up
from dpgov.queries.answering.tally import kinds_asked, tally_round
from dpgov.queries.models import DayTally, Query, Tally
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.dashboards.reading import column_of, figure, page

ClientFor = Callable[[Membership], Client]
_CHARTS = ("over-time", "by-analyst", "by-mechanism")


@pytest.mark.parametrize("role", ["owner", "analyst", "officer"])
def test_counting_changes_nothing_on_the_budget_page(
    role: str,
    in_use: list[Query],
    paths: dict[str, str],
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    """K3, E8: the sums are the same before the sweeper counted, in between and afterwards."""
    client = client_for(request.getfixturevalue(role))
    before = _amounts(client, paths)
    assert tally_round() == 3
    assert _amounts(client, paths) == before
    assert (tally_round(), _amounts(client, paths)) == (0, before)


def _amounts(client: Client, paths: dict[str, str]) -> list[list[Any]]:
    html = page(client, paths["budget"])
    return [[(one["name"], one["y"]) for one in figure(html, name)["data"]] for name in _CHARTS]


def test_each_ended_question_is_counted_once(in_use: list[Query], dataset: Dataset) -> None:
    assert (tally_round(), tally_round()) == (3, 0)
    by_kind = dict(Tally.objects.filter(dataset=dataset).values_list("kind", "nano"))
    assert by_kind == {
        "count-overall": 500_000_000,
        "mean-overall": 250_000_000,
        "histogram-by_group": 1_000_000_000,
    }
    assert [row.nano for row in DayTally.objects.all()] == [1_750_000_000]
    waiting = Query.objects.get(counted=False)
    assert waiting == in_use[3]


def test_what_was_given_back_is_counted_for_nothing(
    analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """Its kind is kept, so that the list finds it by its statistic."""
    query = ask(analyst)
    give_up(query, fence=0, actor=SWEEPER)
    assert tally_round() == 1
    assert Tally.objects.get().nano == 0
    assert not DayTally.objects.exists()
    assert kinds_asked(analyst.tenant_id) == {query.kind}


def test_a_count_that_is_broken_off_leaves_nothing(
    in_use: list[Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums and marks commit together: else a question would be counted twice, or never."""

    def broken(*_: object) -> None:
        raise RuntimeError("the sweeper dies")

    with monkeypatch.context() as patch:
        patch.setattr("dpgov.queries.answering.tally._add", broken)
        with pytest.raises(RuntimeError, match="dies"):
            tally_round()
    assert not Query.objects.filter(counted=True).exists()
    assert tally_round() == 3


@pytest.mark.parametrize("counted", [True, False])
def test_a_chart_of_many_questions_has_days_and_then_the_newest(
    counted: bool, in_use: list[Query], dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K3: days of what is older, a step for each of the newest, and the exact total at the end."""
    first, second, *_ = in_use
    for query, days in ((first, 40), (second, 39)):
        earlier = F("submitted_at") - timedelta(days=days)
        Query.objects.filter(pk=query.pk).update(submitted_at=earlier)
    if counted:
        tally_round()
    exact = [balance.spent_nano for balance in committed_thinned(dataset.budget)[0]]
    monkeypatch.setattr(committed, "_MOST_STEPS", 2)
    series, _ = committed_thinned(dataset.budget)
    assert [balance.spent_nano for balance in series] == exact
    assert sorted(balance.at for balance in series) == [balance.at for balance in series]


def test_a_long_list_shows_the_newest_and_says_so(
    in_use: list[Query],
    officer: Membership,
    client_for: ClientFor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """K3: sorted by price, too, the list holds the newest questions."""
    monkeypatch.setattr(view, "MOST", 2)
    client = client_for(officer)
    response = client.get(reverse("dashboards:history") + "?sort=cost_nano")
    assert column_of(response, "cost_nano") == ["0.125", "1"]
    assert "These are the newest" in response.content.decode()
    exported = client.get(reverse("dashboards:history_export"))
    assert len(b"".join(exported).splitlines()) == 5


def test_the_list_of_the_api_reaches_every_question_page_by_page(
    in_use: list[Query],
    officer: Membership,
    api_for: Callable[[Membership], APIClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """K3: each page leads to the next one by a moment, not by counting."""
    monkeypatch.setattr("dpgov.queries.rest.questions.NewestFirst.page_size", 3)
    client = api_for(officer)
    first = client.get(reverse("v1:query-list")).json()
    last = client.get(first["next"]).json()
    ids = [row["id"] for row in first["results"] + last["results"]]
    assert ids == [str(query.pk) for query in reversed(in_use)]
    assert last["next"] is None
