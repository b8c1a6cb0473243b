"""A worker's part of a registration: read under the lease that it took, ended once.

A worker that was away too long finds its fence outdated, stops its reader and leaves nothing. Must
never end an arrival for what one machine lacks.
"""

import time
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connection
from django.db.models import F, Q

from dpgov.datasets import storage
from dpgov.datasets.declaration import column_of, of_json
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion
from dpgov.datasets.services.arrivals import states
from dpgov.datasets.services.arrivals.taking import ATTEMPTS, ArrivalClaim
from dpgov.datasets.services.derived.making import NotDerived, make_derived
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.datasets.services.files.handing_in import TooManyFiles
from dpgov.datasets.services.files.ingesting import remove_attempt
from dpgov.datasets.services.files.uploads import UploadUsed
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged
from dpgov.datasets.services.live.registering import add_live_version, register_live
from dpgov.datasets.services.registration import Registered, register_dataset
from dpgov.datasets.services.versions import add_version
from dpgov.datasets.store.base import StoreAway
from dpgov.engines.child import Progress, RefusedFile
from dpgov.language.said import said
from dpgov.operation.away import is_database_away
from dpgov.operation.clock import Now
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

_BEAT = 1.0
_PAUSE = timedelta(seconds=30)
_ARCHIVED = said("The dataset was archived meanwhile. Register the file as a dataset of its own.")
_GIVEN_UP = said(
    "The file could not be registered: reading it broke off several times, for a reason that is "
    "not the file's. What you uploaded and typed is kept. Try again, and tell the operator of this "
    "installation if it happens once more."
)
_WAITED = said(
    "The file was not read within a day: no reader was there to take it. What you uploaded and "
    "typed is kept. Tell the operator of this installation, and try again."
)
_log = structlog.get_logger("dpgov.reading")


class LostArrival(Exception):
    """It was stopped, or another worker has it now."""


class _Follower:
    """Renews the lease while the file is read, and ends the arrival with its registration."""

    def __init__(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._next = 0.0

    def begins(self, version_id: UUID) -> None:
        """Remember what is being written, so that whoever comes next can clear it up."""
        self._renew(version_id=version_id)

    def look(self, progress: Progress) -> None:
        """How far it is; raises LostArrival."""
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + _BEAT
        try:
            self._renew(rows_read=progress.rows, bytes_read=progress.bytes)
        except Exception as problem:
            if not is_database_away(problem):
                raise
            # The lease tells whether it was away for too long: then the end will not be recorded.
            _log.warning("the database is away while a file is read")
            # A connection that broke is not used again; the next look opens another.
            connection.close()

    def recorded(self, made: Registered | DatasetVersion | Dataset) -> None:
        """In the transaction of the registration: both, or neither; and for a member alone."""
        if _member(self._arrival) is None:
            raise LostArrival(self._arrival.pk)
        shares = isinstance(made, Registered) and made.shares_budget
        dataset = made if isinstance(made, Dataset) else made.dataset
        if not states.done(self._arrival, dataset, shares_budget=shares):
            raise LostArrival(self._arrival.pk)

    def _renew(self, **changes: object) -> None:
        held = Arrival.objects.filter(
            pk=self._arrival.pk, fence=self._arrival.fence, state=Arrival.State.READING
        )
        until = Now() + timedelta(seconds=settings.DPGOV_LEASE_SECONDS)
        if not held.update(lease_until=until, **changes):
            raise LostArrival(self._arrival.pk)


def carry_out(claim: ArrivalClaim) -> None:
    """Read and register the file for whoever asked, or write down why not.

    What is nobody's fault is passed on, and the file can be taken again. Runs inside `acting_for`
    and outside any transaction.
    """
    arrival, began = claim.arrival, time.monotonic()
    try:
        _register(arrival, began)
    except LostArrival:
        _log.info("a registration was stopped", arrival=str(arrival.pk))
        _who_may(arrival)
    except UploadUsed:
        states.void(arrival)
    except InvalidDomain as problem:
        states.refuse(arrival, problem.args[0], field=problem.field)
    except RefusedFile as refusal:
        states.refuse(arrival, refusal.args[0], field=refusal.field, column=refusal.column)
    except Dataset.DoesNotExist:
        states.refuse(arrival, _ARCHIVED)
    except (TooManyFiles, NotDerived) as refusal:
        states.refuse(arrival, refusal.args[0])
    except storage.NoRoom as refusal:
        _log.error("nothing can be registered", kind=type(refusal).__name__)
        states.refuse(arrival, refusal.args[0])
    except Exception as problem:
        if is_database_away(problem):
            connection.close()
        _give_back(arrival, problem)
        raise


def _register(arrival: Arrival, began: float) -> None:
    member = _who_may(arrival)
    if member is None:
        raise LostArrival(arrival.pk)
    follower, upload = _Follower(arrival), arrival.upload
    if upload is None:
        declared = Derivation.of_json(arrival.declared)
        make_derived(membership=member, derivation=declared, follower=follower, began=began)
    elif arrival.is_version:
        if arrival.dataset is None:
            raise LostArrival(arrival.pk)
        columns = tuple(map(column_of, arrival.declared["columns"]))
        compared_with = arrival.declared.get("compared_with")
        if upload.live_id is not None:
            add_live_version(
                dataset=arrival.dataset,
                upload=upload,
                columns=columns,
                user=arrival.asked_by,
                compared_with=compared_with,
                follower=follower,
            )
            return
        add_version(
            dataset=arrival.dataset,
            upload=upload,
            columns=columns,
            user=arrival.asked_by,
            append_rows=arrival.declared["append_rows"],
            compared_with=compared_with,
            follower=follower,
        )
    else:
        register = register_dataset if upload.live_id is None else register_live
        register(
            tenant=upload.tenant,
            owner=arrival.asked_by,
            upload=upload,
            declaration=of_json(arrival.declared),
            follower=follower,
        )


def _who_may(arrival: Arrival) -> Membership | None:
    """An arrival of somebody who was removed meanwhile, or has another role now, is void."""
    member = _member(arrival)
    if member is None:
        states.void(arrival)
    return member


def _member(arrival: Arrival) -> Membership | None:
    """Whoever asked, while they are there and may."""
    members = Membership.objects.filter(
        tenant_id=arrival.tenant_id, user_id=arrival.asked_by_id, user__is_active=True
    )
    member = members.select_related("tenant", "user").first()
    return member if may(member, Permission.REGISTER_DATASETS) else None


def _give_back(arrival: Arrival, problem: Exception) -> None:
    """Another worker may try, as soon as it likes; attempts stay counted.

    But not where something is lacking here or away: then none was made, and for a while nobody
    reads the same file over and over.
    """
    held = Arrival.objects.filter(pk=arrival.pk, fence=arrival.fence, state=Arrival.State.READING)
    if isinstance(problem, (StoreAway, FingerprintKeyChanged)):
        held.update(attempts=F("attempts") - 1, lease_until=Now() + _PAUSE)
    else:
        held.update(lease_until=Now() - timedelta(seconds=1))


def give_up_old(tenant_id: UUID) -> int:
    """End what was tried too often or waited too long; returns how many."""
    idle = Q(state=Arrival.State.WAITING) | Q(state=Arrival.State.READING, lease_until__lt=Now())
    unfinished = Arrival.objects.filter(idle, tenant_id=tenant_id)
    longest = timedelta(seconds=settings.DPGOV_EXPIRY_SECONDS)
    tried = unfinished.filter(attempts__gte=ATTEMPTS)
    waited = unfinished.filter(asked_at__lt=Now() - longest).exclude(pk__in=tried.values("pk"))
    ended = [_give_up(arrival, _GIVEN_UP) for arrival in tried]
    return sum(ended) + sum([_give_up(arrival, _WAITED) for arrival in waited])


def _give_up(arrival: Arrival, words: str) -> bool:
    if not states.refuse(arrival, words):
        return False
    _log.error("a registration was given up", arrival=str(arrival.pk), attempts=arrival.attempts)
    remove_attempt(arrival.version_id)
    return True
