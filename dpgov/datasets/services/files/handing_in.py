"""How many files a person, and an organisation, may hand in for registration on one day (UTC).

Each file counts once, whether it was taken, refused, or deleted afterwards; so does each pair of
datasets that somebody has put together. Makes no entry: what becomes of it does.
"""

from uuid import UUID

from django.conf import settings
from django.db import transaction

from dpgov.datasets.models import Handed
from dpgov.datasets.services.turns import queue_up
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import Tenant, User


class TooManyFiles(SpokenRefusal):
    """No more files can be registered today, by this person or by anybody of the organisation."""

    def __init__(self, *, most: int, everybody: bool) -> None:
        words = said(
            "You registered {most:,} files today, and that is the most for one person. "
            "Registered, refused and discarded files all count. Go on tomorrow (UTC).",
            most=most,
        )
        if everybody:
            words = said(
                "Your organisation registered {most:,} files today, and that is the most for one "
                "organisation. Go on tomorrow (UTC).",
                most=most,
            )
        super().__init__(words)


@transaction.atomic
def hand_in(*, tenant: Tenant, user: User, upload_id: UUID) -> None:
    """Count the file, once; raises TooManyFiles, counting nothing.

    Where a dataset is derived there is no upload: its arrival has an id of the same kind.
    """
    queue_up(tenant)
    if Handed.objects.filter(upload=upload_id).exists():
        return
    day = clock.today()
    today = Handed.objects.filter(tenant=tenant, day=day)
    if today.filter(user=user).count() >= settings.DPGOV_FILES_A_DAY_PERSON:
        raise TooManyFiles(most=settings.DPGOV_FILES_A_DAY_PERSON, everybody=False)
    if today.count() >= settings.DPGOV_FILES_A_DAY_ORGANISATION:
        raise TooManyFiles(most=settings.DPGOV_FILES_A_DAY_ORGANISATION, everybody=True)
    Handed.objects.create(tenant=tenant, user=user, upload=upload_id, day=day)
