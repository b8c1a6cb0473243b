"""Reads of notices: everybody's own, and the tenant's webhooks for its administrators.

Whether a moment has come is for the database's clock to say, as it is for answers.
"""

from uuid import UUID

from django.db.models import Count, Q, QuerySet

from dpgov.datasets.audience import seen
from dpgov.notices.kinds import REACHES, Kind, kinds_for
from dpgov.notices.models import Choice, Delivery, Notice, State, Webhook
from dpgov.operation.clock import Now
from dpgov.tenants.models import Membership


def notices_of(membership: Membership) -> QuerySet[Notice]:
    """The person's own notices of this tenant whose moment has come, newest first.

    Those about a dataset that they do not see any more wait until they see it again.
    """
    own = Notice.objects.filter(
        about_seen(membership),
        tenant_id=membership.tenant_id,
        person_id=membership.user_id,
        in_app=True,
        due_at__lte=Now(),
    )
    return own.select_related("event").order_by("-due_at", "-id")


def about_seen(membership: Membership) -> Q:
    """Which of a person's notices are about nothing that is hidden from them."""
    return Q(event__dataset__isnull=True) | seen(membership, "event__dataset__")


def unread_of(membership: Membership) -> QuerySet[Notice]:
    """Those of them that have not been read."""
    return notices_of(membership).filter(read_at__isnull=True)


def get_notice(membership: Membership, notice_id: UUID) -> Notice:
    """One of one's own; Notice.DoesNotExist for a colleague's, a foreign and a missing one."""
    return notices_of(membership).get(pk=notice_id)


def choices_by_person(tenant_id: UUID, kind: Kind) -> dict[UUID, Choice]:
    """What people have chosen about this kind, by person; without an entry the default counts."""
    rows = Choice.objects.filter(tenant_id=tenant_id, kind=kind)
    return {choice.person_id: choice for choice in rows}


def choices_of(membership: Membership) -> list[tuple[Kind, bool, bool]]:
    """(kind, in the product, by e-mail) for each kind that can reach this person."""
    rows = Choice.objects.filter(tenant_id=membership.tenant_id, person_id=membership.user_id)
    chosen = {row.kind: row for row in rows}
    return [(kind, *_chosen(kind, chosen.get(kind))) for kind in kinds_for(membership.roles)]


def _chosen(kind: Kind, choice: Choice | None) -> tuple[bool, bool]:
    return (choice.in_app, choice.letter) if choice else (True, REACHES[kind].letter)


def webhooks_of(tenant_id: UUID) -> QuerySet[Webhook]:
    """The tenant's webhooks that have not ended, oldest first, with how many deliveries wait."""
    waiting = Count("deliveries", filter=Q(deliveries__state=State.WAITING))
    rows = Webhook.objects.filter(tenant_id=tenant_id, ended_at__isnull=True)
    return rows.annotate(waiting=waiting).order_by("created_at", "id")


def get_webhook(membership: Membership, webhook_id: UUID) -> Webhook:
    """One of them; Webhook.DoesNotExist for a foreign and a missing one alike."""
    return webhooks_of(membership.tenant_id).get(pk=webhook_id)


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """What was sent there or waits, newest first; nothing whose moment has not come."""
    rows = webhook.deliveries.filter(due_at__lte=Now())
    return rows.select_related("event").order_by("-due_at", "-id")
