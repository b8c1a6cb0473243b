"""Questions as a picture: sums of the list beside it, and every mark leads to what it counts."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.queries.models import Query, Refusal
from dpgov.queries.pictures import cells as sums
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.dashboards.reading import figure, page
from tests.small_dataset import register_small_dataset

ClientFor = Callable[[Membership], Client]


def marks(html: str, name: str = "by-day") -> list[tuple[str, float, str]]:
    """(colour, height, where it leads) of each bar."""
    return [
        (trace["name"], height, link)
        for trace in figure(html, name)["data"]
        for height, link in zip(trace["y"], trace["meta"]["links"], strict=True)
    ]


@pytest.mark.parametrize("role", ["owner", "analyst", "officer"])
@pytest.mark.parametrize("colour", ["state", "dataset", "analyst", "statistic"])
def test_every_mark_leads_to_exactly_the_questions_that_it_counts(
    role: str, colour: str, in_use: list[Query], client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    """E13: and the table beside the chart has the same links, for who has no script."""
    Query.objects.filter(pk=in_use[0].pk).update(submitted_at=F("submitted_at") - timedelta(days=3))
    browser = client_for(request.getfixturevalue(role))
    html = page(browser, f"/history/?by={colour}")
    found = marks(html)
    assert sum(height for _colour, height, _link in found) == (2 if role == "analyst" else 4)
    for _colour, height, link in found:
        assert len(browser.get(f"/history/{link}").context["table"].rows) == height
        assert f'href="{link.replace("&", "&amp;")}"' in html


def test_the_table_beside_the_heat_map_has_its_squares(
    in_use: list[Query], owner: Membership, client_for: ClientFor
) -> None:
    Query.objects.filter(pk=in_use[0].pk).update(submitted_at=F("submitted_at") - timedelta(days=3))
    browser = client_for(owner)
    board = browser.get("/history/?range=30").context["board"]
    assert [[number for number, _href in cells] for _day, cells in board.squares] == [[3], [1]]
    for _day, cells in board.squares:
        for number, href in cells:
            assert browser.get(f"/history/{href}").context["page"].paginator.count == number


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Pacific/Honolulu"])
def test_a_day_of_the_picture_is_the_same_day_in_the_list_in_every_time_zone(
    zone: str, in_use: list[Query], owner: Membership, client_for: ClientFor, settings: Any
) -> None:
    """E13: days are counted in UTC, wherever the installation stands."""
    settings.TIME_ZONE = zone
    day = in_use[0].submitted_at.replace(hour=0, minute=0, second=0, microsecond=0)
    for query, hours in zip(in_use, (-49, -47, -25, -23), strict=True):
        Query.objects.filter(pk=query.pk).update(submitted_at=day + timedelta(hours=hours))
    browser = client_for(owner)
    for _colour, height, link in marks(page(browser, "/history/")):
        assert len(browser.get(f"/history/{link}").context["table"].rows) == height


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_the_ends_of_the_calendar_are_days_as_any_other(
    zone: str, in_use: list[Query], owner: Membership, client_for: ClientFor, settings: Any
) -> None:
    """Of the list, its pictures, its refusals and its file."""
    settings.TIME_ZONE = zone
    browser = client_for(owner)
    for chosen, number in (
        ("until=9999-12-31", len(in_use)),
        ("since=0001-01-01", len(in_use)),
        ("since=0001-01-01&until=9999-12-31", len(in_use)),
        ("since=9999-12-31", 0),
        ("until=0001-01-01", 0),
    ):
        answer = browser.get(f"/history/?range=all&{chosen}")
        assert answer.status_code == 200, chosen
        assert answer.context["page"].paginator.count == number, chosen
        exported = b"".join(browser.get(f"/history/export/?{chosen}")).decode()
        assert len(exported.splitlines()) == 1 + number, chosen


def test_the_fields_for_days_say_in_which_zone_they_are_read(
    in_use: list[Query], owner: Membership, client_for: ClientFor, settings: Any
) -> None:
    """E13: in UTC, as pictures and refusals beside the list; its moments are of the pages' zone."""
    settings.TIME_ZONE = "Europe/Berlin"
    at = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    Query.objects.filter(pk=in_use[0].pk).update(submitted_at=at)
    browser, shown = client_for(owner), "21 Nov 2026, 00:30"
    html = page(browser, "/history/?range=all")
    assert shown in html
    assert "From (UTC)" in html
    assert "To (UTC)" in html
    for day, found in (("2026-11-20", True), ("2026-11-21", False)):
        days = page(browser, f"/history/?range=all&since={day}&until={day}")
        assert (shown in days) is found, day


def test_an_analysts_picture_is_of_their_own_questions_alone(
    in_use: list[Query], dataset: Dataset, analyst: Membership, colleague: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    """E13: nobody else's question, refusal, kind or name, whatever the address asks for."""
    today = in_use[0].submitted_at.date()
    for member, number in ((analyst, 2), (colleague, 5)):
        Refusal.objects.create(
            tenant=analyst.tenant, dataset=dataset, analyst=member.user, day=today,
            reason="budget", number=number,
        )  # fmt: skip
    for colour in ("state", "dataset", "statistic", "analyst"):
        address = f"/history/?by={colour}&analyst={colleague.user_id}"
        board = client_for(analyst).get(address).context["board"]
        assert sum(row.number for row in board.rows) == 2
        assert "Histogram" not in str(board)
        assert "Carla" not in str(board)
        assert [one.number for one, _href in board.refusals] == [2]


def test_who_was_only_refused_sees_their_refusals_and_each_leads_to_its_day(
    dataset: Dataset, analyst: Membership, owner: Membership, client_for: ClientFor
) -> None:
    """Nothing passed, so that there is no list of questions; the refusals are no part of one."""
    today = clock.today()
    for days, number in ((0, 2), (3, 1)):
        Refusal.objects.create(
            tenant=analyst.tenant, dataset=dataset, analyst=analyst.user, reason="budget",
            day=today - timedelta(days=days), number=number,
        )  # fmt: skip
    browser = client_for(analyst)
    html = page(browser, "/history/")
    assert "You have not asked anything yet" in html
    found = marks(html, "refused")
    assert sum(height for _reason, height, _link in found) == 3
    for _reason, height, link in found:
        shown = browser.get(f"/history/{link}").context["board"].refusals
        assert sum(one.number for one, _href in shown) == height
        assert f'href="{link.replace("&", "&amp;")}"' in html
    assert "Anna" not in html.split('id="refused-title"')[1]
    assert "Anna" in page(client_for(owner), "/history/").split('id="refused-title"')[1]


def test_of_many_refusals_the_newest_lines_are_listed_and_a_day_lists_its_own(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """The page stays as light as it is, however much was refused; the bars count all of it."""
    newest = clock.today()
    Refusal.objects.bulk_create(
        Refusal(
            tenant=analyst.tenant, dataset=dataset, analyst=analyst.user, reason=reason,
            day=newest - timedelta(days=days), number=1,
        )
        for days in range(27)
        for reason in ("budget", "question")
    )  # fmt: skip
    browser = client_for(analyst)
    html = page(browser, "/history/?range=30")
    assert sum(height for _reason, height, _link in marks(html, "refused")) == 54
    board = browser.get("/history/?range=30").context["board"]
    days = [one.day for one, _href in board.refusals]
    assert (len(days), days[0], days[-1]) == (50, newest, newest - timedelta(days=24))
    assert "4 older lines are left out." in html
    oldest = newest - timedelta(days=26)
    shown = browser.get(f"/history/?since={oldest}&until={oldest}").context["board"]
    assert [one.day for one, _href in shown.refusals] == [oldest, oldest]
    assert shown.further_refusals == 0


def test_a_bar_of_one_kind_leads_to_that_kind_and_names_it_whoever_asked_it(
    in_use: list[Query], analyst: Membership, client_for: ClientFor
) -> None:
    """E8: the filter offers a kind because it may be asked, and not because somebody did."""
    browser = client_for(analyst)
    for kind, number, words in (
        ("count-overall", 1, "Count"),
        ("histogram-by_group", 0, "Histogram"),
        ("median-overall", 0, "Median"),
    ):
        found = browser.get("/history/", {"statistic": kind})
        assert found.context["page"].paginator.count == number
        assert f"Only {words}" in found.text


def test_the_picture_tells_nothing_of_how_far_a_worker_is(
    in_use: list[Query], owner: Membership, client_for: ClientFor
) -> None:
    """E8: queued, running and sealed are one colour."""
    words: set[Any] = set()
    for state in Query.HOLDING:
        sealed = {"due_at": F("submitted_at"), "outcome": "released"} if state == "sealed" else {}
        Query.objects.filter(pk=in_use[3].pk).update(state=state, **sealed)
        words.add(tuple(mark[0] for mark in marks(page(client_for(owner), "/history/"))))
    assert words == {("Answered", "Waiting")}


RANGES = [("7", 3), ("30", 4), ("90", 4), ("all", 4), ("nonsense", 4)]


@pytest.mark.parametrize(("text", "number"), RANGES)
def test_one_range_says_what_is_drawn(
    text: str, number: int, in_use: list[Query], owner: Membership, client_for: ClientFor
) -> None:
    then = F("submitted_at") - timedelta(days=10)
    Query.objects.filter(pk=in_use[0].pk).update(submitted_at=then)
    board = client_for(owner).get(f"/history/?range={text}").context["board"]
    assert sum(row.number for row in board.rows) == number


def test_a_range_that_was_chosen_is_that_of_every_dashboard_until_another_is(
    in_use: list[Query], owner: Membership, client_for: ClientFor
) -> None:
    browser, budget = client_for(owner), f"/datasets/{in_use[0].dataset.slug}/budget/"
    assert browser.get(budget).context["span"].text == "30"
    browser.get("/history/?range=90")
    assert browser.get(budget).context["span"].text == "90"
    browser.get(budget, {"range": "forever"})
    browser.get(budget, {"range": "7"})
    assert browser.get("/history/").context["board"].span.text == "7"
    listed = browser.get("/history/").context["page"].paginator.count
    assert listed == len(in_use), "a list is shortened by its address alone"
    assert client_for(owner).get(budget).context["span"].text == "30"


def test_what_was_given_back_counts_as_a_question_and_not_as_epsilon(
    in_use: list[Query], owner: Membership, client_for: ClientFor
) -> None:
    Query.objects.filter(pk=in_use[3].pk).update(state=Query.State.VOIDED)
    board = client_for(owner).get("/history/?measure=epsilon").context["board"]
    assert sum(row.nano for row in board.rows) == 1_750_000_000
    assert sum(row.number for row in board.rows) == 4


def test_datasets_beyond_the_busiest_are_counted_and_not_drawn_one_by_one(
    in_use: list[Query], ask: Ask, owner: Membership, analyst: Membership,
    client_for: ClientFor, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """All bars together count every question; the map is of so many datasets, the busiest."""
    monkeypatch.setattr(sums, "MOST_DATASETS", 1)
    ask(analyst, of=register_small_dataset(owner, name="Seldom"))
    for colour in ("state", "dataset"):
        board = client_for(owner).get(f"/history/?by={colour}").context["board"]
        assert sum(row.number for row in board.rows) == 5
        assert [(name, number) for name, number, _nano, _href in board.map_rows] == [("Visits", 4)]
