"""H7: a server that answers late, or one byte at a time, cannot hold up the sweeper."""

import socket
from collections.abc import Generator
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest
from django.utils import timezone

from dpgov.notices import webhooks
from dpgov.notices.delivery import deliveries, sending
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Delivery, State, Webhook
from dpgov.operation import clock
from dpgov.tenants.models import Membership


@pytest.fixture
def dripping(settings: Any) -> Generator[str]:
    """The address of a server whose answer never ends; each byte comes within the time allowed."""
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    settings.DPGOV_WEBHOOK_PORTS = range(1, 65_536)
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            caller, _ = server.accept()
            with caller:
                caller.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not over.wait(0.02):
                    try:
                        caller.sendall(b"x")
                    except OSError:
                        return

        thread = Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        over.set()
        thread.join()


def test_an_answer_that_never_ends_is_cut_off(
    dripping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7"""
    monkeypatch.setattr(sending, "_SECONDS", 0.5)
    with pytest.raises(sending.FAILURES):
        sending.post(dripping, b"{}", {})


class Late:
    """Servers that take their time by a clock of their own, and whom was called, in order."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds, self.called = 0.0, seconds, list[str]()

    def post(self, url: str, *_: Any) -> int:
        self.called.append(url[-1])
        self.now += self.seconds
        return 200


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    """Every answer takes four seconds, of the ten that a round has."""
    servers = Late(4.0)
    monkeypatch.setattr(deliveries, "post", servers.post)
    monkeypatch.setattr(clock, "running", lambda: servers.now)
    return servers


def webhook(admin: Membership, name: str) -> Webhook:
    url = f"https://example.org/{name}"
    return webhooks.add_webhook(membership=admin, url=url, kinds=[Kind.HOLD]).webhook


def happen(admin: Membership, *keys: str) -> None:
    for key in keys:
        now = timezone.now()
        tell(admin.tenant_id, Happening(key, Kind.HOLD, now, frozenset(), {"what": "frozen"}))


def rounds(admin: Membership, count: int) -> list[int]:
    return [deliveries.deliver_waiting(admin.tenant_id) for _ in range(count)]


@pytest.mark.django_db
def test_a_server_that_answers_late_has_a_few_seconds_of_each_round(
    admin: Membership, late: Late
) -> None:
    """H7: the rest goes in the next rounds, in its order."""
    webhook(admin, "a")
    happen(admin, *"123456")
    assert rounds(admin, 3) == [3, 3, 0]
    tried = Delivery.objects.order_by("tried_at").values_list("event__key", flat=True)
    assert list(tried) == list("123456")


@pytest.mark.django_db
def test_late_servers_of_one_organisation_take_turns(admin: Membership, late: Late) -> None:
    """H7: whoever was called longest ago comes first, however much waits for another one."""
    for name in "abcd":
        webhook(admin, name)
    happen(admin, *"123456")
    assert rounds(admin, 8) == [3] * 8
    assert "".join(late.called) == "abcd" * 6


@pytest.mark.django_db
def test_one_with_old_events_alone_is_not_first_in_every_round(
    admin: Membership, late: Late
) -> None:
    """H7: as after a sweeper stood still; what counts is when it was called, not what about."""
    late.seconds = 10.0
    old, _ = (webhook(admin, name) for name in "ab")
    happen(admin, *"123456789")
    long_ago = timezone.now() - timedelta(days=4)
    Delivery.objects.filter(webhook=old).update(due_at=long_ago)
    rounds(admin, 4)
    assert "".join(late.called) == "abab"


@pytest.mark.django_db
def test_a_second_test_message_while_one_waits_is_the_same(admin: Membership, late: Late) -> None:
    """H7: nobody piles up messages for a server that is slow."""
    first, second = (webhook(admin, name) for name in "ab")
    for _ in range(3):
        webhooks.send_test(webhook=first)
        webhooks.send_test(webhook=second)
    assert rounds(admin, 2) == [2, 0]
    webhooks.send_test(webhook=first)
    assert Delivery.objects.filter(state=State.WAITING).count() == 1
