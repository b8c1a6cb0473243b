"""Adding, renewing and ending webhooks, each with one audit entry; and the test message.

Must never write a secret anywhere: it is returned once, to be shown once. The log names the host
alone, because an address may itself be a secret.
"""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.notices.delivery.addresses import target_of
from dpgov.notices.delivery.signing import secret_of
from dpgov.notices.events.telling import plan_deliveries
from dpgov.notices.kinds import REACHES, Kind
from dpgov.notices.models import Event, State, Webhook
from dpgov.notices.selectors import webhooks_of
from dpgov.operation import clock
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of, hold_turn

MOST_WEBHOOKS = 5


class TooManyWebhooks(ValueError):
    """The tenant has as many webhooks as it may have."""

    def __init__(self) -> None:
        text = _("There are {number} webhooks. Remove one that nobody uses.")
        super().__init__(text.format(number=MOST_WEBHOOKS))


class NothingChosen(ValueError):
    """A webhook for no kind of notice would never be called."""

    def __init__(self) -> None:
        super().__init__(_("Choose at least one kind of notification."))


@dataclass(frozen=True, slots=True)
class WithSecret:
    """A webhook, and the secret to show this once."""

    webhook: Webhook
    secret: str


@transaction.atomic
def add_webhook(*, membership: Membership, url: str, kinds: Collection[str]) -> WithSecret:
    """A webhook that is called from the next event on.

    Raises TooManyWebhooks, NothingChosen, and AddressRefused for what is no public address.
    """
    tenant_id = membership.tenant_id
    hold_turn(tenant_id)
    chosen = [kind.value for kind in REACHES if kind in kinds]
    target_of(url)
    if not chosen:
        raise NothingChosen
    if webhooks_of(tenant_id).count() >= MOST_WEBHOOKS:
        raise TooManyWebhooks
    webhook = Webhook.objects.create(
        tenant_id=tenant_id, url=url, kinds=chosen, generation=uuid4().hex
    )
    _record(webhook, membership, Action.WEBHOOK_ADDED)
    return WithSecret(webhook, secret_of(webhook))


@transaction.atomic
def renew_secret(*, webhook: Webhook, membership: Membership) -> WithSecret:
    """Another secret from the next try on. Raises Webhook.DoesNotExist when it has ended."""
    current = _locked(webhook)
    current.generation = uuid4().hex
    current.save(update_fields=["generation"])
    _record(current, membership, Action.WEBHOOK_SECRET_CHANGED)
    return WithSecret(current, secret_of(current))


@transaction.atomic
def remove_webhook(*, webhook: Webhook, membership: Membership) -> None:
    """Call it no more; its deliveries stay. Raises Webhook.DoesNotExist when it has ended."""
    current = _locked(webhook)
    current.ended_at = clock.now()
    current.save(update_fields=["ended_at"])
    _record(current, membership, Action.WEBHOOK_REMOVED)


@transaction.atomic
def send_test(*, webhook: Webhook) -> None:
    """Plan one test message for this webhook alone; the delivery log says what became of it.

    While one waits it is that one: nobody piles up messages for a server that is slow or away.
    """
    Webhook.objects.select_for_update().get(pk=webhook.pk)
    if webhook.deliveries.filter(state=State.WAITING, event__kind=Kind.PING).exists():
        return
    event = Event.objects.create(
        tenant_id=webhook.tenant_id,
        key=f"ping:{uuid4()}",
        kind=Kind.PING,
        due_at=clock.now(),
    )
    plan_deliveries(event, [webhook])


def _locked(webhook: Webhook) -> Webhook:
    return Webhook.objects.select_for_update().get(pk=webhook.pk, ended_at__isnull=True)


def _record(webhook: Webhook, membership: Membership, action: Action) -> None:
    append(
        tenant_id=webhook.tenant_id,
        actor=actor_of(membership.user),
        action=action,
        subject=f"webhook:{webhook.pk}",
        detail={"host": urlsplit(webhook.url).hostname, "kinds": webhook.kinds},
    )
