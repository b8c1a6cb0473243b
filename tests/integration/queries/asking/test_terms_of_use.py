"""L38: terms of use are accepted before the first question, at every entrance and by everybody.

What could go wrong: a door that forgets them, a version that is not in force any more, an
acceptance in another person's name, a question that is lost when new terms come, and a refusal that
spends.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from dpgov.datasets.models import Dataset, TermsOfUse
from dpgov.datasets.services import accept_terms, set_terms
from dpgov.queries.asking.gate import TermsNotAccepted, refuse_unless_open_to
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query, ReadyMade, Refusal
from dpgov.tenants.models import Membership
from tests.declared import declare_otherwise
from tests.integration.queries.asking.approving import approved, needs_approval, requested
from tests.integration.queries.asking.approving import ask as ask_approved
from tests.integration.queries.asking.test_closed import COUNT, SERVICES, SQL, TWO, WEB, Doors
from tests.integration.queries.asking.test_closed import doors as doors
from tests.integration.queries.ready_made.published import VALUES, published
from tests.integration.queries.ready_made.published import ask as ask_ready_made
from tests.integration.queries.reusing import BY_SEX
from tests.integration.queries.web.test_batch_page import form_of
from tests.made_once import made_once

Unchanged = Callable[[], AbstractContextManager[None]]
LOCKED: dict[str, Any] = {
    "epsilon": 1,
    "plans": [
        {"statistics": COUNT["statistics"], "share": 0.2},
        {"statistics": COUNT["statistics"]},
    ],
}


@made_once
def terms(doors: Doors, owner: Membership) -> TermsOfUse:
    """Version 1, set after everybody read the dataset and an answer was there."""
    return set_terms(dataset=doors.dataset, text="For research alone.", user=owner.user)


@made_once
def ready_made(owner: Membership, dataset: Dataset) -> ReadyMade:
    return published(owner, dataset)


def accepted(doors: Doors, number: int = 1) -> None:
    """Both who ask accept: the analyst, and the owner, who may count rows of people."""
    for person in (doors.asker.user, doors.dataset.owner):
        accept_terms(dataset=doors.dataset, number=number, user=person)


def _person(doors: Doors) -> int:
    declare_otherwise(
        Dataset.objects.filter(pk=doors.dataset.pk), unit="person", private_id="person"
    )
    return WEB["rows per person"](doors)


def _press(doors: Doors) -> int:
    found = ReadyMade.objects.get(dataset=doors.dataset)
    return doors.page(f"ready-made/{found.pk}/ask", {"key": "k-1", "p0": "30", "p1": "Female"})


def _send(doors: Doors) -> int:
    found = ReadyMade.objects.get(dataset=doors.dataset)
    return doors.post(f"ready-made/{found.pk}", {"values": VALUES})


ENTRANCES: dict[str, tuple[Callable[[Doors], int], int, int]] = {
    "the form": (WEB["the form"], 422, 302),
    "several": (lambda d: d.page("batch", form_of(*TWO["plans"], price="1")), 422, 302),
    "rows per person": (_person, 422, 302),
    "a free answer": (WEB["a free answer"], 422, 302),
    "a ready-made question": (_press, 422, 302),
    "the API": (WEB["the API"], 409, 202),
    "batches in the API": (WEB["its batches"], 409, 202),
    "a locked share in the API": (lambda d: d.post("batches", LOCKED), 409, 202),
    "a ready-made one in the API": (_send, 409, 202),
    "free in the API": (WEB["free in the API"], 409, 201),
}
ALL_SERVICES: dict[str, Callable[[Doors], object]] = {
    **SERVICES,
    "submit_ready_made": lambda d: ask_ready_made(
        d.asker, ReadyMade.objects.get(dataset=d.dataset), VALUES, of=d.dataset
    ),
}


@pytest.mark.usefixtures("terms", "ready_made")
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_entrance_refuses_before_and_works_after(
    doors: Doors, unchanged: Unchanged, entrance: str
) -> None:
    """L38: nothing is spent, stored or logged by the refusal."""
    knock, before, after = ENTRANCES[entrance]
    with unchanged():
        assert knock(doors) == before
    accepted(doors)
    assert knock(doors) == after


@pytest.mark.usefixtures("terms", "ready_made")
@pytest.mark.parametrize("service", ALL_SERVICES)
def test_every_service_refuses_before_and_works_after(
    doors: Doors, unchanged: Unchanged, service: str
) -> None:
    """L38: also when the dataset was read before its owner set the terms."""
    with unchanged(), pytest.raises(TermsNotAccepted, match="Accept the terms of use"):
        ALL_SERVICES[service](doors)
    accepted(doors)
    assert ALL_SERVICES[service](doors)


@pytest.mark.usefixtures("terms")
@pytest.mark.parametrize("page", ["ask", "ask/sql", "batch", "ready-made", "terms"])
def test_every_page_of_questions_shows_the_terms_until_they_are_accepted(
    doors: Doors, page: str
) -> None:
    address = f"/datasets/visits/{page}/"
    shown = doors.browser.get(address).content.decode()
    assert "For research alone." in shown
    assert "Accept the terms" in shown
    sent = {"version": "1", "agreed": "on", "back": address}
    answer = doors.browser.post("/datasets/visits/terms/accept/", sent)
    assert (answer.status_code, answer["Location"]) == (302, address)
    assert "Accept the terms" not in doors.browser.get(address).content.decode()


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({}, "version"),
        ({"version": None}, "version"),
        ({"version": True}, "version"),
        ({"version": "1"}, "version"),
        ({"version": 0}, "version"),
        ({"version": 1, "agreed": True}, "agreed"),
        ([1], "non_field_errors"),
    ],
)
def test_the_api_refuses_what_names_no_version_at_its_place(
    doors: Doors, body: object, attr: str
) -> None:
    answer = doors.api.post("/api/v1/datasets/visits/terms/accept/", body, format="json")
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["attr"] == attr


@pytest.mark.usefixtures("terms")
def test_the_api_says_which_version_and_where(doors: Doors) -> None:
    """L38: and what it says can be done as it stands."""
    asked = {"format": "json", "headers": {"Idempotency-Key": "k-1"}}
    address = "/api/v1/datasets/visits/queries/"
    refused = doors.api.post(address, COUNT, **asked)  # type: ignore[arg-type]
    body = refused.json()
    assert (refused.status_code, body["errors"][0]["code"]) == (409, "terms_not_accepted")
    named = {"version": body["terms_to_accept"]}
    assert body["accept_at"].startswith("http://testserver/api/v1/")
    assert doors.api.post(body["accept_at"], named, format="json").json()["accepted_at"]
    assert doors.api.post(address, COUNT, **asked).status_code == 202  # type: ignore[arg-type]


@pytest.mark.usefixtures("terms")
def test_prices_and_free_answers_are_shown_and_the_refusal_with_them(
    doors: Doors, unchanged: Unchanged
) -> None:
    """L38: a price reads no data; nothing fits before the terms are accepted."""
    with unchanged():
        quote = doors.api.post("/api/v1/datasets/visits/quote/", COUNT, format="json").json()
        assert (quote["cost_epsilon"], quote["terms_to_accept"]) == (0.5, 1)
        assert (quote["accepted"], quote["largest_fit_epsilon"]) == (False, 0)
        assert "Accept the terms of use" in quote["refusal"]
        assert quote["free"]
        page = doors.browser.post("/datasets/visits/ask/sql/price/", {"sql": SQL})
        assert b"Accept the terms of use" in page.content
    accepted(doors)
    quote = doors.api.post("/api/v1/datasets/visits/quote/", COUNT, format="json").json()
    assert (quote["accepted"], quote["terms_to_accept"]) == (True, None)


@pytest.mark.usefixtures("terms")
def test_new_terms_are_asked_for_and_what_was_accepted_goes_on(
    doors: Doors, owner: Membership, unchanged: Unchanged, answer_all: Callable[[], int]
) -> None:
    """L38: the question that waits is answered, and its key still names it."""
    accepted(doors)
    asked = {"membership": doors.asker, "dataset": doors.dataset, "idempotency_key": "before"}
    waiting = submit(**asked, raw_plan=BY_SEX).query  # type: ignore[arg-type]
    set_terms(dataset=doors.dataset, text="For research, and cited.", user=owner.user)
    with unchanged():
        assert submit(**asked, raw_plan=BY_SEX).query == waiting  # type: ignore[arg-type]
        with pytest.raises(TermsNotAccepted, match="version 2"):
            doors.submit()
    assert answer_all() == 1
    waiting.refresh_from_db()
    assert waiting.state == Query.State.RELEASED
    accepted(doors, 2)
    assert doors.submit().state == Query.State.QUEUED


@pytest.mark.usefixtures("terms")
def test_removed_terms_are_asked_of_nobody(doors: Doors, owner: Membership) -> None:
    """L38: from the version without text on."""
    set_terms(dataset=doors.dataset, text="", user=owner.user)
    assert doors.submit().state == Query.State.QUEUED


@pytest.mark.usefixtures("terms")
def test_a_colleague_s_acceptance_is_nobody_else_s(doors: Doors) -> None:
    """L38: the owner accepted, the analyst did not."""
    accept_terms(dataset=doors.dataset, number=1, user=doors.dataset.owner)
    with pytest.raises(TermsNotAccepted):
        doors.submit()


@pytest.mark.usefixtures("terms")
def test_a_refusal_is_counted_as_one_of_the_owner_s_rules(doors: Doors) -> None:
    """L38: for the officer's month; the budget was not why."""
    with pytest.raises(TermsNotAccepted):
        doors.submit()
    assert [(one.reason, one.number) for one in Refusal.objects.all()] == [("policy", 1)]


@pytest.mark.usefixtures("terms")
def test_the_database_takes_no_question_of_who_has_not_accepted(doors: Doors) -> None:
    """L38: whoever writes the row, and however the service was got round; also after new terms."""
    accepted(doors)
    asked = doors.submit()
    set_terms(dataset=doors.dataset, text="Others.", user=doors.dataset.owner)
    asked.pk, asked.idempotency_key = uuid4(), "by hand"
    with pytest.raises(DatabaseError, match="has accepted the terms"), transaction.atomic():
        asked.save(force_insert=True)


@pytest.mark.usefixtures("terms")
def test_terms_that_come_in_this_very_moment_are_a_refusal_and_no_fault(
    doors: Doors, unchanged: Unchanged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L38: after they were looked for and before the row, which the database then refuses."""
    before = iter([lambda *_about: None])
    monkeypatch.setattr(
        "dpgov.queries.asking.submit.refuse_unless_open_to",
        lambda *about: next(before, refuse_unless_open_to)(*about),
    )
    with unchanged(), pytest.raises(TermsNotAccepted):
        doors.submit()


def test_an_approval_is_asked_for_and_used_by_who_accepted_the_terms(
    doors: Doors, owner: Membership, unchanged: Unchanged
) -> None:
    """L38: also one that was given before the terms came."""
    needs_approval(doors.dataset)
    given = approved(doors.asker, owner, doors.dataset)
    set_terms(dataset=doors.dataset, text="For research alone.", user=owner.user)
    with unchanged():
        with pytest.raises(TermsNotAccepted):
            requested(doors.asker, doors.dataset, {**COUNT, "epsilon": 0.9})
        with pytest.raises(TermsNotAccepted):
            ask_approved(doors.asker, given)
    accepted(doors)
    assert requested(doors.asker, doors.dataset, {**COUNT, "epsilon": 0.9}).is_waiting
    assert ask_approved(doors.asker, given).state == Query.State.QUEUED
