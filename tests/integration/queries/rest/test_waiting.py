"""Waiting for an answer without asking again and again."""

import re
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.queries.answering import looking
from dpgov.queries.answering.looking import expected_at, pause_before_next_look, wait_for_end
from dpgov.queries.models import Query
from dpgov.tenants.models import ApiToken, Membership
from dpgov.tenants.services import remove_member
from tests.cast import Ask, answer_now
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]


@made_once
def asked(analyst: Membership, ask: Ask) -> Query:
    query = ask(analyst)
    query.class_ms = 500
    return query


def after(query: Query, seconds: float) -> datetime:
    return query.submitted_at + timedelta(seconds=seconds)


def test_the_first_look_is_when_the_answer_can_be_there(asked: Query) -> None:
    """Nobody can see anything before, so that nobody has to look."""
    assert expected_at(asked, after(asked, 0.02)) == after(asked, 0.5)
    pause = pause_before_next_look(asked, after(asked, 0.02))
    assert timedelta(seconds=0.48) < pause <= timedelta(seconds=0.62)


def test_pauses_grow_with_the_time_that_was_waited(asked: Query) -> None:
    """R11: two hundred waiting pages are some twenty requests a second and not five hundred."""
    moment, looks = asked.submitted_at, 0
    while moment < after(asked, 600):
        moment += pause_before_next_look(asked, moment)
        looks += 1
    assert looks < 90
    assert pause_before_next_look(asked, after(asked, 300)) == timedelta(seconds=10)


def test_what_is_told_while_it_waits_does_not_depend_on_the_work(asked: Query) -> None:
    """E8, L4: sealed or not begun, the same moment."""
    at = after(asked, 0.1)
    before = (expected_at(asked, at), pause_before_next_look(asked, at))
    Query.objects.filter(pk=asked.pk).update(
        state=Query.State.SEALED, outcome="failed", due_at=after(asked, 64), doublings_owed=7
    )
    sealed = Query.objects.get(pk=asked.pk)
    sealed.class_ms = 500
    assert (expected_at(sealed, at), pause_before_next_look(sealed, at)) == before


def test_the_page_looks_again_after_such_a_pause_and_stops_at_the_end(
    analyst: Membership, client_for: ClientFor, asked: Query
) -> None:
    browser = client_for(analyst)
    shown = browser.get(f"/queries/{asked.pk}/status/").content.decode()
    found = re.search(r'hx-trigger="load delay:(\d+)ms, every 60s"', shown)
    assert found is not None
    assert 0 < int(found[1]) <= 10_000
    answer_now(asked.pk)
    assert "hx-trigger" not in browser.get(f"/queries/{asked.pk}/status/").content.decode()


def test_the_api_says_when_to_ask_again(analyst: Membership, api_for: ApiFor, asked: Query) -> None:
    api = api_for(analyst)
    waiting = api.get(f"/api/v1/queries/{asked.pk}/")
    assert int(waiting.headers["Retry-After"]) >= 1
    assert datetime.fromisoformat(waiting.json()["due_at"]) > asked.submitted_at
    answer_now(asked.pk)
    ended = api.get(f"/api/v1/queries/{asked.pk}/")
    assert (ended.json()["state"], ended.json()["due_at"]) == ("released", None)
    assert "Retry-After" not in ended.headers


def test_a_request_may_wait_for_the_end(
    analyst: Membership, api_for: ApiFor, asked: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks when it is worth it, and comes back as soon as there is an end."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            answer_now(asked.pk)

    monkeypatch.setattr(time, "sleep", pause)
    answer = api_for(analyst).get(f"/api/v1/queries/{asked.pk}/?wait=20")
    assert answer.json()["state"] == "released"
    assert len(pauses) == 2
    assert all(0 < seconds <= 20 for seconds in pauses)


@pytest.mark.parametrize("ended", ["member", "token", "password"])
def test_whoever_is_removed_while_they_wait_is_told_nothing(
    analyst: Membership,
    api_for: ApiFor,
    asked: Query,
    monkeypatch: pytest.MonkeyPatch,
    ended: str,
) -> None:
    """H7: not even that it has ended, and at what price."""
    api = api_for(analyst)

    def pause(_seconds: float) -> None:
        answer_now(asked.pk)
        if ended == "member":
            remove_member(membership=analyst, actor=OPERATOR)
        elif ended == "token":
            ApiToken.objects.filter(membership=analyst).delete()
        else:
            analyst.user.set_password("another one entirely")
            analyst.user.save()

    monkeypatch.setattr(time, "sleep", pause)
    answer = api.get(f"/api/v1/queries/{asked.pk}/?wait=20")
    assert answer.status_code == 401
    assert "released" not in answer.content.decode()


def test_few_requests_wait_at_once(
    analyst: Membership, asked: Query, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R11: one too many is answered at once, and a place is free again afterwards."""
    settings.DPGOV_LONG_POLLS = 1
    within: list[Query] = []

    def pause(seconds: float) -> None:
        within.append(wait_for_end(analyst, asked, timedelta(seconds=20)))
        answer_now(asked.pk)

    monkeypatch.setattr(time, "sleep", pause)
    ended = wait_for_end(analyst, asked, timedelta(seconds=20))
    assert [query.state for query in within] == [Query.State.QUEUED]
    assert ended.state == Query.State.RELEASED
    assert looking._take_place()
    looking._leave_place()


@pytest.mark.parametrize("wait", ["-1", "x", "1.5", "10000", "²"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(
    analyst: Membership, api_for: ApiFor, asked: Query, wait: str
) -> None:
    answer = api_for(analyst).get(f"/api/v1/queries/{asked.pk}/", {"wait": wait})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["attr"].startswith("wait")
