"""Tells something once: an event, a notice for each person, a delivery for each webhook.

All of one event or nothing of it, in the caller's transaction; told again, nothing happens. Only
active members are told. Sends nothing itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from dpgov.notices.kinds import REACHES, Kind
from dpgov.notices.models import Choice, Delivery, Event, Notice, State, Webhook
from dpgov.notices.selectors import choices_by_person, webhooks_of
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.roles import having

# A sweeper that was away for longer tells no old news.
NEWS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Happening:
    """Something to tell these people (by user id) from `due_at` on; `key` makes it once.

    `personal` goes to no webhook: who spent how much is not for every administrator to know.
    `dataset` is the one (by id) without which it is nothing to be told of.
    """

    key: str
    kind: Kind
    due_at: datetime
    people: frozenset[UUID]
    detail: dict[str, Any] = field(default_factory=dict)
    personal: bool = False
    dataset: UUID | None = None


def told_before(tenant_id: UUID, keys: Iterable[str]) -> set[str]:
    """Which of these keys an event has already."""
    events = Event.objects.filter(tenant_id=tenant_id, key__in=keys)
    return set(events.values_list("key", flat=True))


def people_having(tenant_id: UUID, *roles: Role) -> frozenset[UUID]:
    """The members who have one of these roles, by user id."""
    members = Membership.objects.filter(having(*roles), tenant_id=tenant_id)
    return frozenset(members.values_list("user_id", flat=True))


@transaction.atomic
def tell(tenant_id: UUID, happening: Happening) -> bool:
    """Write down what is to be told; False when it was told before, and then nothing is done."""
    event, is_new = Event.objects.get_or_create(
        tenant_id=tenant_id,
        key=happening.key,
        defaults={
            "kind": happening.kind,
            "detail": happening.detail,
            "dataset_id": happening.dataset,
            "due_at": happening.due_at,
        },
    )
    if is_new:
        Notice.objects.bulk_create(_notices(event, happening.people))
        if not happening.personal:
            plan_deliveries(event, _webhooks(tenant_id, happening.kind))
    return is_new


def _webhooks(tenant_id: UUID, kind: Kind) -> list[Webhook]:
    return [webhook for webhook in webhooks_of(tenant_id) if kind in webhook.kinds]


def plan_deliveries(event: Event, webhooks: Iterable[Webhook]) -> None:
    """Note that the event has to go to these webhooks; in the caller's transaction."""
    Delivery.objects.bulk_create(
        Delivery(
            tenant_id=event.tenant_id,
            webhook=webhook,
            event=event,
            due_at=event.due_at,
            next_attempt_at=event.due_at,
        )
        for webhook in webhooks
    )


def _notices(event: Event, people: frozenset[UUID]) -> list[Notice]:
    kind = Kind(event.kind)
    choices = choices_by_person(event.tenant_id, kind)
    members = Membership.objects.filter(
        having(*REACHES[kind].roles),
        tenant_id=event.tenant_id,
        user_id__in=people,
        user__is_active=True,
    )
    found = members.order_by("user_id").values_list("user_id", flat=True)
    told = (_notice(event, kind, person, choices.get(person)) for person in found)
    return [notice for notice in told if notice.in_app or notice.letter]


def _notice(event: Event, kind: Kind, person_id: UUID, choice: Choice | None) -> Notice:
    letter = choice.letter if choice else REACHES[kind].letter
    return Notice(
        tenant_id=event.tenant_id,
        event=event,
        person_id=person_id,
        in_app=choice.in_app if choice else True,
        due_at=event.due_at,
        letter=State.WAITING if letter else "",
        next_attempt_at=event.due_at if letter else None,
    )
