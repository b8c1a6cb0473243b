"""Which file a worker reads next: whose turn it is, and whether it can be read on this machine.

Others may read what this one cannot; then it is theirs, and no attempt is counted.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from dpgov.datasets.crossing import next_arrivals
from dpgov.datasets.models import Arrival
from dpgov.datasets.services.derived.making import are_here
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.datasets.services.files.ingesting import remove_attempt
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged, check_key_for
from dpgov.datasets.services.stored.keeping import is_kept_raw
from dpgov.datasets.store.base import StoreAway
from dpgov.operation.clock import Now
from dpgov.tenants.boundary import acting_for

# Of readers that die over the same file; a file that is at fault is refused at the first one.
ATTEMPTS = 3
_LOOKED_AT = 50
_log = structlog.get_logger("dpgov.reading")


@dataclass(frozen=True, slots=True)
class ArrivalClaim:
    """The right to read one file for somebody, as long as the lease is renewed."""

    arrival: Arrival
    tenant_id: UUID


def next_claim() -> ArrivalClaim | None:
    """Take what comes next and can be seen from here; None if nothing does.

    A file that this machine neither has nor can bring is left to other workers, without an attempt.
    """
    for pk, tenant_id in next_arrivals(ATTEMPTS, _LOOKED_AT):
        with acting_for(tenant_id):
            claim = _claim(pk, tenant_id)
        if claim is not None:
            return claim
    return None


@transaction.atomic
def _claim(pk: UUID, tenant_id: UUID) -> ArrivalClaim | None:
    free = Arrival.objects.filter(
        Q(state=Arrival.State.WAITING) | Q(state=Arrival.State.READING, lease_until__lt=Now()),
        pk=pk,
        attempts__lt=ATTEMPTS,
    )
    found = free.select_related("upload").first()
    if found is None:
        return None
    if not _can_read(found):
        return None
    taken = free.filter(fence=found.fence).update(
        state=Arrival.State.READING,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        lease_until=Now() + timedelta(seconds=settings.DPGOV_LEASE_SECONDS),
        taken_at=Now(),
        rows_read=0,
        bytes_read=0,
    )
    if not taken:
        return None
    # What an attempt wrote that nobody carries on.
    remove_attempt(found.version_id)
    whole = Arrival.objects.select_related("upload__tenant", "asked_by", "dataset__tenant")
    return ArrivalClaim(whole.get(pk=pk), tenant_id)


def _can_read(arrival: Arrival) -> bool:
    """Whether its files and the key are here; the operator is told what is not."""
    # Rows of a live table are read where they are; it is known by a key of ours.
    is_live = arrival.upload is not None and arrival.upload.live_id is not None
    if not is_live and not _is_here(arrival):
        _log.warning("a worker cannot see a file that it should read", arrival=str(arrival.pk))
        return False
    try:
        check_key_for(arrival.upload)
    except FingerprintKeyChanged as problem:
        _log.error("a worker can register nothing", kind=type(problem).__name__)
        return False
    return True


def _is_here(arrival: Arrival) -> bool:
    if arrival.upload_id is None:
        return are_here(Derivation.of_json(arrival.declared))
    try:
        return is_kept_raw(arrival.upload_id)
    except StoreAway:
        return False
