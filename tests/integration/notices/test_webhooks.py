"""Webhooks: signed messages in order, tried again with growing pauses, and told what became."""

import hashlib
import hmac
import json
from collections.abc import Callable, Generator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.language.translation import retold
from dpgov.notices import webhooks
from dpgov.notices.delivery import deliveries
from dpgov.notices.delivery.deliveries import deliver_waiting, message
from dpgov.notices.delivery.pauses import next_try
from dpgov.notices.delivery.signing import signature
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Delivery, Event, State, Webhook
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.servers.listener import Listener, listening

pytestmark = pytest.mark.django_db


@pytest.fixture
def listener(settings: Any) -> Generator[Listener]:
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    settings.DPGOV_WEBHOOK_PORTS = range(1, 65_536)
    with listening() as found:
        yield found


@pytest.fixture
def added(admin: Membership, listener: Listener) -> webhooks.WithSecret:
    return webhooks.add_webhook(membership=admin, url=listener.url, kinds=[Kind.HOLD, Kind.BUDGET])


def happen(admin: Membership, key: str, **more: Any) -> None:
    happening = Happening(key, Kind.HOLD, timezone.now(), frozenset(), {"what": "frozen"}, **more)
    tell(admin.tenant_id, happening)


def deliver(admin: Membership) -> int:
    with acting_for(admin.tenant_id):
        return deliver_waiting(admin.tenant_id)


def test_a_message_arrives_and_its_signature_can_be_checked_with_the_secret(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    happen(admin, "one")
    assert deliver(admin) == 1
    (body,) = listener.received
    assert json.loads(body)["text"].startswith("Datasets are frozen")
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.attempts) == (State.SENT, 200, 1)
    sent = listener.headers[0]
    assert sent["Dpgov-Event"] == str(delivery.event_id)
    signed = f"{sent['Dpgov-Timestamp']}.{body}".encode()
    expected = hmac.new(added.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert sent["Dpgov-Signature"] == f"sha256={expected}"


def test_what_is_repeated_is_delivered_once(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    for _ in range(2):
        happen(admin, "one")
        deliver(admin)
    assert len(listener.received) == 1


def test_a_message_names_no_person_and_no_amount(
    admin: Membership, added: webhooks.WithSecret
) -> None:
    happen(admin, "one")
    said = json.loads(message(Event.objects.get(), "harbour"))
    assert set(said) == {"id", "kind", "at", "tenant", "text", "url", "detail"}
    assert said["detail"] == {"what": "frozen"}


def test_what_is_personal_goes_to_no_webhook(admin: Membership, added: webhooks.WithSecret) -> None:
    """F13: an administrator does not learn who spent how much."""
    happen(admin, "one", personal=True)
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("answer", [302, 404, 500])
def test_a_refusal_or_a_redirect_is_tried_again_later_and_later(
    answer: int, admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    """H7: nobody follows a redirect; what waits behind the first one is not tried."""
    listener.answer = answer
    happen(admin, "one")
    happen(admin, "two")
    assert deliver(admin) == deliver(admin) == 0
    assert len(listener.received) == 1
    first = Delivery.objects.get(attempts=1)
    assert (first.state, first.status) == (State.WAITING, answer)
    assert retold(first.problem) == f"The server answered {answer}."
    listener.answer = 200
    Delivery.objects.update(next_attempt_at=timezone.now())
    assert deliver(admin) == 2
    assert [Delivery.objects.get(pk=first.pk).attempts, len(listener.received)] == [2, 3]


@pytest.mark.parametrize(("pause", "sent"), [(timedelta(minutes=59), 0), (timedelta(days=1), 1)])
def test_a_call_that_a_clock_ahead_put_off_is_made_now(
    pause: timedelta,
    sent: int,
    admin: Membership,
    added: webhooks.WithSecret,
    listener: Listener,
) -> None:
    """L14: no pause is longer than an hour, so that such a date was made by a clock ahead."""
    happen(admin, "one")
    Delivery.objects.update(attempts=1, next_attempt_at=timezone.now() + pause)
    assert deliver(admin) == sent


def test_the_pauses_grow_to_an_hour() -> None:
    now = timezone.now()
    pauses = [(next_try(attempts, now) - now).total_seconds() for attempts in range(1, 60)]
    assert pauses[:4] == [15, 30, 60, 120]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 3600


def test_what_is_three_days_old_is_given_up(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    happen(admin, "one")
    Delivery.objects.update(due_at=timezone.now() - timedelta(days=4), attempts=1)
    assert deliver(admin) == 0
    assert Delivery.objects.get().state == State.GIVEN_UP
    assert listener.received == []


def test_what_nobody_tried_for_days_is_tried_once(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    """After an outage of the sweeper of more than three days nothing is lost unseen."""
    happen(admin, "one")
    Delivery.objects.update(due_at=timezone.now() - timedelta(days=4))
    assert deliver(admin) == 1
    assert len(listener.received) == 1


def test_nothing_is_sent_before_its_moment(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    later = timezone.now() + timedelta(hours=1)
    tell(admin.tenant_id, Happening("later", Kind.HOLD, later, frozenset(), {"what": "frozen"}))
    assert deliver(admin) == 0
    assert listener.received == []


def test_an_address_that_became_private_is_not_called(
    admin: Membership, added: webhooks.WithSecret, listener: Listener, settings: Any
) -> None:
    """H7: it is looked at again at each try."""
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = False
    Webhook.objects.update(url=listener.url.replace("http:", "https:"))
    happen(admin, "one")
    assert deliver(admin) == 0
    assert retold(Delivery.objects.get().problem) == "The address leads into a private network."
    assert listener.received == []


def test_a_removed_webhook_is_called_no_more(
    admin: Membership, added: webhooks.WithSecret, listener: Listener
) -> None:
    happen(admin, "one")
    webhooks.remove_webhook(webhook=added.webhook, membership=admin)
    assert deliver(admin) == 0
    with pytest.raises(Webhook.DoesNotExist):
        webhooks.remove_webhook(webhook=added.webhook, membership=admin)


def test_a_new_secret_replaces_the_old_one_and_neither_is_stored_or_logged(
    admin: Membership, added: webhooks.WithSecret
) -> None:
    """H5"""
    renewed = webhooks.renew_secret(webhook=added.webhook, membership=admin)
    assert renewed.secret != added.secret
    stored = [str(row) for row in Webhook.objects.values()]
    logged = list(AuditEntry.objects.values_list("detail", flat=True))
    for secret in (added.secret, renewed.secret):
        assert not [text for text in [*stored, *logged] if secret in text]


def test_a_secret_renewed_and_a_webhook_removed_within_a_round_count_from_the_next_call(
    admin: Membership, added: webhooks.WithSecret, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round is of many messages, and takes seconds."""
    secrets, signed_by = [added.secret], list[str]()

    def post(_url: str, body: bytes, headers: Mapping[str, str]) -> int:
        at, signed = int(headers["Dpgov-Timestamp"]), headers["Dpgov-Signature"]
        signed_by.extend(one for one in secrets if signature(one, at, body) == signed)
        with acting_for(admin.tenant_id):
            if len(secrets) == 1:
                renewed = webhooks.renew_secret(webhook=added.webhook, membership=admin)
                secrets.append(renewed.secret)
            else:
                webhooks.remove_webhook(webhook=added.webhook, membership=admin)
        return 200

    monkeypatch.setattr(deliveries, "post", post)
    for key in ("one", "two", "three"):
        happen(admin, key)
    assert deliver(admin) == 2
    assert signed_by == secrets
    left = Delivery.objects.get(state=State.WAITING)
    assert (left.attempts, left.tried_at) == (0, None)


def test_what_a_webhook_is_told_of_is_of_nobody_in_particular(
    admin: Membership, added: webhooks.WithSecret, client_for: Callable[[Membership], Client]
) -> None:
    """Where people choose for themselves the same kinds are theirs."""
    pages = client_for(admin)
    asked = pages.get(reverse("notices:webhooks")).text
    assert "A request was decided" in asked
    assert "of mine" not in asked
    shown = pages.get(reverse("notices:webhook", args=[added.webhook.pk])).text
    assert "Datasets are held or frozen" in shown


def test_a_tenant_has_five_webhooks_at_most(admin: Membership, added: webhooks.WithSecret) -> None:
    for _ in range(webhooks.MOST_WEBHOOKS - 1):
        webhooks.add_webhook(membership=admin, url="https://example.org/", kinds=[Kind.HOLD])
    with pytest.raises(webhooks.TooManyWebhooks):
        webhooks.add_webhook(membership=admin, url="https://example.org/", kinds=[Kind.HOLD])
