"""What a person does with their own notices: marks them as read, chooses how to hear of what.

No audit entry: it changes nothing for anybody else, nor any notice that came before a choice.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from dpgov.notices.kinds import kinds_for
from dpgov.notices.models import Choice
from dpgov.notices.selectors import get_notice, notices_of
from dpgov.operation import clock
from dpgov.tenants.models import Membership


@transaction.atomic
def choose(*, membership: Membership, in_app: Collection[str], letters: Collection[str]) -> None:
    """From now on: these kinds in the product, these by e-mail, the person's others not at all."""
    for kind in kinds_for(membership.roles):
        Choice.objects.update_or_create(
            tenant_id=membership.tenant_id,
            person_id=membership.user_id,
            kind=kind,
            defaults={"in_app": kind in in_app, "letter": kind in letters},
        )


def mark(*, membership: Membership, notice_id: UUID, read: bool) -> None:
    """One notice, read or not. Raises Notice.DoesNotExist for everybody else's."""
    notice = get_notice(membership, notice_id)
    notice.read_at = clock.now() if read else None
    notice.save(update_fields=["read_at"])


def mark_all(*, membership: Membership) -> int:
    """All that have come so far; how many were unread."""
    unread = notices_of(membership).filter(read_at__isnull=True)
    return unread.order_by().update(read_at=clock.now())
