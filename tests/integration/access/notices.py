"""Notices and a webhook for the two tenants that the access tests are about."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event, Notice, Webhook
from dpgov.tenants.models import Membership


def tell_everybody(people: Collection[Membership]) -> None:
    """One notice for each of them, of their own tenant."""
    now = timezone.now() - timedelta(minutes=1)
    for member in people:
        event = Event.objects.create(
            tenant=member.tenant,
            key=f"told {member.user.email}",
            kind=Kind.HOLD,
            detail={"what": "frozen"},
            due_at=now,
        )
        Notice.objects.create(
            tenant=member.tenant, event=event, person=member.user, in_app=True, due_at=now
        )


def notice_of(member: Membership) -> UUID:
    """The notice that this person was given above; none for who joined later."""
    found = Notice.objects.filter(person=member.user).order_by("due_at", "id")
    return found.values_list("pk", flat=True).first() or member.pk


def webhook_of(member: Membership) -> UUID:
    """A webhook of the person's tenant."""
    webhook = Webhook.objects.create(
        tenant=member.tenant,
        url=f"https://hooks.{member.tenant.slug}.example.org/in",
        kinds=[Kind.HOLD.value],
        generation="first",
    )
    return webhook.pk
