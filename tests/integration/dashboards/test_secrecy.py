"""What the dashboards must not tell: the data, and to an analyst anything about the worker."""

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import Reservation
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask, answer_query
from tests.integration.dashboards.reading import figure, page, trace

ClientFor = Callable[[Membership], Client]
_TOKENS = re.compile(r'(csrfmiddlewaretoken" value="|X-CSRFToken": "|nonce=")[^"]+')
_RIGHT_EDGE = re.compile(r', "20[0-9T:.+-]+"\]')


def _steady(html: str) -> str:
    """The page without what is new at each request: tokens, nonces, and charts' end at "now"."""
    return _RIGHT_EDGE.sub("]", _TOKENS.sub("", html))


@pytest.mark.parametrize("role", ["owner", "analyst", "officer"])
def test_without_the_data_files_every_page_is_the_same(
    role: str,
    in_use: list[Query],
    paths: dict[str, str],
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    """E10: dashboards read releases and ledger rows, never data."""
    client = client_for(request.getfixturevalue(role))
    everything = [*paths.values(), reverse("dashboards:history_export")]
    before = [_steady(_text(client, path)) for path in everything]
    folder = Path(settings.DPGOV_HOME) / "data"
    moved = folder.rename(folder.with_name("data-away"))
    try:
        assert [_steady(_text(client, path)) for path in everything] == before
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        moved.rename(folder)


def _text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return b"".join(response).decode()


def test_an_analyst_sees_one_committed_amount(
    in_use: list[Query], paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    """E8: whether an amount is reserved or spent says how far the worker is."""
    html = page(client_for(analyst), paths["budget"])
    names = [each["name"] for each in figure(html, "over-time")["data"]]
    assert names == ["Remaining", "Limit"]
    assert trace(html, "over-time", "Remaining")["y"][-1] == 8.125
    for path in paths.values():
        seen = page(client_for(analyst), path)
        assert "Reserved" not in seen
        assert "Spent" not in seen


def test_an_analysts_pages_are_the_same_before_and_after_the_worker(
    ask: Ask,
    paths: dict[str, str],
    analyst: Membership,
    colleague: Membership,
    client_for: ClientFor,
) -> None:
    """E8, L4: until it is published, an answered question looks like a waiting one."""
    ask(analyst)
    ask(colleague)
    client = client_for(analyst)
    before = {name: _steady(page(client, path)) for name, path in paths.items()}
    assert all(answer_query(query.pk) for query in Query.objects.all())
    assert {name: _steady(page(client, path)) for name, path in paths.items()} == before


def test_a_running_question_looks_like_a_queued_one(
    ask: Ask, paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    """E8: lease, attempts and opening of the data leave no trace on an analyst's pages."""
    query = ask(analyst)
    client = client_for(analyst)
    before = {name: _steady(page(client, path)) for name, path in paths.items()}
    now = datetime.now(UTC)
    Query.objects.filter(pk=query.pk).update(
        state=Query.State.RUNNING, attempts=1, fence=1, lease_until=now, opened_at=now
    )
    assert {name: _steady(page(client, path)) for name, path in paths.items()} == before


def test_the_committed_amount_counts_from_submission(
    in_use: list[Query], paths: dict[str, str], analyst: Membership, client_for: ClientFor
) -> None:
    """E8: moving the end of every hold by an hour moves nothing on an analyst's chart."""
    client = client_for(analyst)
    before = trace(page(client, paths["budget"]), "over-time", "Remaining")
    Reservation.objects.exclude(ended_at=None).update(
        ended_at=datetime.now(UTC) + timedelta(hours=1)
    )
    after = trace(page(client, paths["budget"]), "over-time", "Remaining")
    assert after["x"][:-1] == before["x"][:-1]
    assert after["y"] == before["y"]


def test_an_analyst_sees_nobody_elses_name_or_question(
    in_use: list[Query],
    dataset: Dataset,
    paths: dict[str, str],
    analyst: Membership,
    client_for: ClientFor,
) -> None:
    client = client_for(analyst)
    for path in [*paths.values(), reverse("dashboards:history_export")]:
        assert "Carla" not in _text(client, path)
        assert "carla@" not in _text(client, path)
    html = page(client, paths["budget"])
    shown = figure(html, "by-analyst")["layout"]["yaxis"]["ticktext"]
    own = dict(zip(shown, trace(html, "by-analyst", "Committed")["x"], strict=True))
    assert own == {"You": 0.75, "Everybody else": 1.125}
    assert "Histogram" not in figure(html, "by-mechanism")["layout"]["yaxis"]["ticktext"]
    colleagues = str(in_use[2].analyst_id)
    narrowed = page(client, f"{paths['history']}?analyst={colleagues}")
    assert narrowed.count('class="state') == 2
