"""L13: whose turn it is, how many are read at once, and what becomes of what nobody reads."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dpgov.datasets import storage, tasks
from dpgov.datasets.models import Arrival
from dpgov.datasets.services.arrivals.taking import ATTEMPTS, next_claim
from dpgov.datasets.tasks import arrivals_round, read_next
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import SignIn, address, ask, while_it_is_read
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import CSV

pytestmark = pytest.mark.django_db


def test_a_file_that_this_machine_cannot_see_is_left_to_another(asked: Arrival) -> None:
    """L13, R3: no attempt is spent on it, and what comes after it is read."""
    assert asked.upload_id is not None
    path = storage.upload_path(asked.upload_id)
    hidden = path.rename(path.with_suffix(".elsewhere"))
    assert read_waiting() == 0
    asked.refresh_from_db()
    assert (asked.state, asked.attempts) == (Arrival.State.WAITING, 0)
    hidden.rename(path)
    assert read_waiting() == 1


def test_attempts_are_bounded_and_the_owner_is_told(browser: Client, asked: Arrival) -> None:
    """L13: readers that die each time are not tried for ever."""
    for _ in range(ATTEMPTS):
        assert next_claim() is not None
        Arrival.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert next_claim() is None
    arrivals_round()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.REFUSED
    page = browser.get(address("reading", asked.upload), follow=True).content.decode()
    assert "broke off several times" in page


def test_what_nobody_read_for_a_day_ends(asked: Arrival, settings: Any) -> None:
    """L13: an installation without a reader says so instead of letting people wait."""
    arrivals_round()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.WAITING
    settings.DPGOV_EXPIRY_SECONDS = 0
    arrivals_round()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.REFUSED


def test_the_sweep_sends_again_what_nobody_works_on_and_doubles_its_pause(
    asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, R1: a message that was lost is sent again, and a queue is never flooded.

    In minutes here instead of seconds: however busy the machine, none passes on the way.
    """
    sent: list[str] = []
    monkeypatch.setattr(tasks, "_PATIENCE", tasks._PATIENCE * 60)
    monkeypatch.setattr("dpgov.datasets.tasks.read_next.delay", lambda: sent.append("look"))
    call_command("sweep")
    assert sent == []
    Arrival.objects.update(asked_at=timezone.now() - timedelta(hours=1))
    for _ in range(5):
        call_command("sweep")
    assert sent == ["look"]
    for waited, sends in ((3, 1), (5, 2), (5, 2), (9, 3)):
        Arrival.objects.update(sent_at=timezone.now() - timedelta(minutes=waited))
        arrivals_round()
        assert len(sent) == sends


def test_tenants_are_read_by_turns(
    browser: Client, stranger: Membership, client_for: SignIn
) -> None:
    """L13, S10: one organisation's many files do not delay another's one by more than one."""
    for number in range(3):
        ask(browser, CSV + b"50,f,Basel\n" * (number + 1))
    theirs = ask(client_for(stranger), as_csv(people(9)))
    order = []
    while (claim := next_claim()) is not None:
        order.append(claim.tenant_id)
    assert order.index(theirs.tenant_id) <= 1


def test_no_more_files_are_read_at_once_than_the_machine_allows(
    browser: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, S10: a reader more finds no place, and what it left is read afterwards."""
    settings.DPGOV_READERS = 1
    ask(browser)
    ask(browser, as_csv(people(3)))
    at_once: list[int] = []

    def second() -> None:
        read_next()
        at_once.append(Arrival.objects.filter(state=Arrival.State.READING).count())

    while_it_is_read(monkeypatch, second)
    read_next()
    assert at_once == [1]
    settings.DPGOV_READERS = 2
    assert Arrival.objects.filter(state=Arrival.State.WAITING).count() == 1


def test_what_the_broker_did_not_take_is_due_as_before(
    asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, R1: after an outage nobody waits for a pause that doubled with messages never sent."""
    sent: list[str] = []

    def away() -> None:
        raise ConnectionError

    Arrival.objects.update(asked_at=timezone.now() - timedelta(hours=1))
    monkeypatch.setattr("dpgov.datasets.tasks.read_next.delay", away)
    for _ in range(9):
        assert arrivals_round() == 0
    asked.refresh_from_db()
    assert (asked.sends, asked.sent_at) == (0, None)
    monkeypatch.setattr("dpgov.datasets.tasks.read_next.delay", lambda: sent.append("look"))
    assert arrivals_round() == 1
    assert sent == ["look"]
