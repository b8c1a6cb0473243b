"""The receiver in docs/how-to/receive-webhooks.md, run against messages as they are sent."""

import re
from collections.abc import Generator
from http.server import HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.utils import timezone

from dpgov.notices import webhooks
from dpgov.notices.delivery.deliveries import deliver_waiting
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Delivery, State
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT

pytestmark = pytest.mark.django_db
PAGE = ROOT / "docs/how-to/receive-webhooks.md"


@pytest.fixture
def server(settings: Any) -> Generator[HTTPServer]:
    """A server without a handler yet, on a free port of this machine."""
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    settings.DPGOV_WEBHOOK_PORTS = range(1, 65_536)
    started = HTTPServer(("127.0.0.1", 0), None)  # type: ignore[arg-type]
    thread = Thread(target=started.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield started
    started.shutdown()
    thread.join()
    started.server_close()


@pytest.fixture
def added(admin: Membership, server: HTTPServer) -> webhooks.WithSecret:
    url = f"http://127.0.0.1:{server.server_port}/"
    return webhooks.add_webhook(membership=admin, url=url, kinds=[Kind.HOLD])


def receiver(secret: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the page's code defines; its log line is left out, and what it handles is kept."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("DPGOV_WEBHOOK_SECRET", secret)
    names: dict[str, Any] = {"__name__": "receiver"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    names["Receiver"].log_message = lambda *_: None
    names["handled"] = []
    names["handle"] = names["handled"].append
    return names


def send(admin: Membership, key: str) -> None:
    happening = Happening(key, Kind.HOLD, timezone.now(), frozenset(), {"what": "frozen"})
    tell(admin.tenant_id, happening)
    with acting_for(admin.tenant_id):
        deliver_waiting(admin.tenant_id)


def test_the_receiver_of_the_page_takes_what_we_send(
    admin: Membership,
    added: webhooks.WithSecret,
    server: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = receiver(added.secret, monkeypatch)
    server.RequestHandlerClass = names["Receiver"]
    send(admin, "one")
    assert [message["kind"] for message in names["handled"]] == ["hold"]
    assert Delivery.objects.get().state == State.SENT


def test_the_receiver_of_the_page_refuses_another_s_signature(
    admin: Membership,
    added: webhooks.WithSecret,
    server: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = receiver("another secret", monkeypatch)
    server.RequestHandlerClass = names["Receiver"]
    send(admin, "one")
    assert names["handled"] == []
    assert Delivery.objects.get().status == 400


def test_the_receiver_of_the_page_handles_a_repeated_event_once_and_refuses_an_old_one(
    added: webhooks.WithSecret, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dpgov.notices.delivery.signing import signature

    names = receiver(added.secret, monkeypatch)
    now = int(timezone.now().timestamp())
    for age, genuine in ((0, True), (299, True), (301, False)):
        stamp, body = now - age, b"{}"
        headers = {
            "Dpgov-Timestamp": str(stamp),
            "Dpgov-Signature": signature(added.secret, stamp, body),
        }
        with monkeypatch.context() as frozen:
            frozen.setattr("time.time", lambda: float(now))
            assert names["is_genuine"](headers, body) is genuine
