"""Marks one's own notices as read or not; no audit entry: it changes nothing for anybody else."""

from uuid import UUID

from django.utils import timezone

from dpgov.notices.selectors import get_notice, notices_of
from dpgov.tenants.models import Membership


def mark(*, membership: Membership, notice_id: UUID, read: bool) -> None:
    """One notice, read or not. Raises Notice.DoesNotExist for everybody else's."""
    notice = get_notice(membership, notice_id)
    notice.read_at = timezone.now() if read else None
    notice.save(update_fields=["read_at"])


def mark_all(*, membership: Membership) -> int:
    """All that have come so far; how many were unread."""
    unread = notices_of(membership).filter(read_at__isnull=True)
    return unread.order_by().update(read_at=timezone.now())
