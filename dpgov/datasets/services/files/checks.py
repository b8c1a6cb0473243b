"""A file is checked against its declarations, for the person who uploaded it alone.

What comes of it is returned and kept nowhere: not in a row, not in the log, not in a notice. How
often is counted before the file is read, so that a check that fails counts as well, and so that
nobody tunes bounds by it. It decides nothing: what is registered, and what it costs, stays as it is
declared.
"""

from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import Arrival, Upload
from dpgov.datasets.models import Checked as Row
from dpgov.datasets.services.files.joins import joined_to
from dpgov.datasets.services.files.uploads import (
    UploadBusy,
    UploadUsed,
    looked_at,
    looking,
    looking_limits,
    ready_upload,
)
from dpgov.datasets.services.turns import queue_up
from dpgov.engines import child
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.privacy.plan.schema import ColumnSpec
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class TooManyChecks(SpokenRefusal):
    """No more checks today, of this file or by this person."""

    def __init__(self, *, most: int, everything: bool) -> None:
        words = said(
            "You had this file checked {most:,} times today, and that is the most for one file. Go "
            "on tomorrow (UTC), or register it as it is declared.",
            most=most,
        )
        if everything:
            words = said(
                "You had files checked {most:,} times today, and that is the most for one person. "
                "Go on tomorrow (UTC), or register it as it is declared.",
                most=most,
            )
        super().__init__(words)


def check_file(
    *, upload: Upload, user: User, columns: Sequence[ColumnSpec], private_id: str | None
) -> child.CheckReport:
    """Coarse words for each of these columns; see `engines.ingest.checking`.

    One entry, without the result. Raises TooManyChecks, UploadUsed and UploadBusy, counting
    nothing; Busy and RefusedFile, which count.
    """
    _count(upload, user)
    with looked_at(upload) as path, joined_to(upload, looked_at) as join, looking():
        return child.check(
            path,
            columns=columns,
            private_id=private_id,
            reading=upload.reading,
            join=join,
            limits=looking_limits(),
        )


def checks_left(upload: Upload, user: User) -> int:
    """How many more times this person may have this file checked today."""
    own = (
        Row.objects.filter(upload=upload.pk, day=clock.today())
        .values_list("times", flat=True)
        .first()
    )
    of_file = int(settings.DPGOV_CHECKS_A_DAY_FILE) - (own or 0)
    return max(0, min(of_file, int(settings.DPGOV_CHECKS_A_DAY_PERSON) - _by(upload, user)))


@transaction.atomic
def _count(upload: Upload, user: User) -> None:
    queue_up(upload.tenant)
    locked = ready_upload(upload.pk)
    if locked.live_id is not None:
        raise UploadUsed(upload.pk)
    if locked.arrivals.filter(state__in=Arrival.UNFINISHED).exists():
        raise UploadBusy(upload.pk)
    if _by(upload, user) >= settings.DPGOV_CHECKS_A_DAY_PERSON:
        raise TooManyChecks(most=settings.DPGOV_CHECKS_A_DAY_PERSON, everything=True)
    row, _new = Row.objects.get_or_create(
        upload=upload.pk, day=clock.today(), defaults={"tenant": upload.tenant, "user": user}
    )
    most = settings.DPGOV_CHECKS_A_DAY_FILE
    if not Row.objects.filter(pk=row.pk, times__lt=most).update(times=F("times") + 1):
        raise TooManyChecks(most=most, everything=False)
    append(
        tenant_id=upload.tenant_id,
        actor=actor_of(user),
        action=Action.UPLOAD_CHECKED,
        subject=f"upload:{upload.pk}",
        detail={"format": upload.format},
    )


def _by(upload: Upload, user: User) -> int:
    own = Row.objects.filter(tenant_id=upload.tenant_id, user=user, day=clock.today())
    return int(own.aggregate(sum=Sum("times"))["sum"] or 0)
