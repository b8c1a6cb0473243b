"""Arrivals: registration is asked for at a page, read by a worker, stopped by whoever asked.

Until a worker has registered the file nothing has changed that anybody else could see, so asking
and stopping make no entry, like drafts; the registration makes its own. That two datasets could not
be put together is an entry, too: rows of others were read.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F

from dpgov.datasets.declaration import Declaration, as_json, check_columns, column_fields
from dpgov.datasets.models import Arrival, Dataset, Upload
from dpgov.datasets.selectors import namesake, same_name
from dpgov.datasets.services.appending import check_appending
from dpgov.datasets.services.derived.declared import planned
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.datasets.services.derived.refused import record_not_derived
from dpgov.datasets.services.files.drafts import keep_draft
from dpgov.datasets.services.files.handing_in import hand_in
from dpgov.datasets.services.files.ingesting import remove_attempt
from dpgov.datasets.services.files.joins import check_key, public_facts
from dpgov.datasets.services.files.uploads import ready_upload
from dpgov.datasets.services.fingerprint_key import check_key_for
from dpgov.datasets.services.registration import check_declared
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.services.versions import schema_of_next
from dpgov.datasets.uploaded import arrival_of
from dpgov.language.said import as_values, said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation.clock import Now
from dpgov.privacy.plan.schema import ColumnSpec, InvalidDomain
from dpgov.tenants.models import Membership, User


def ask_registration(
    *, owner: User, upload: Upload, declaration: Declaration, typed: Mapping[str, str]
) -> Arrival:
    """Have the upload registered under this declaration; what was typed is kept beside it.

    Asked again while it waits or is read, it is the same arrival. Raises InvalidDomain naming the
    field, UploadUsed, DraftTooLarge, TooManyFiles, FingerprintKeyChanged; then nothing has changed.
    """
    check_declared(upload, declaration)
    # Said at once: a reader that lacks the key leaves the data to others.
    check_key_for(upload)
    hand_in(tenant=upload.tenant, user=owner, upload_id=upload.pk)
    return _ask(upload, owner, typed, declared=as_json(declaration))


def ask_version(
    *,
    dataset: Dataset,
    upload: Upload,
    columns: tuple[ColumnSpec, ...],
    user: User,
    typed: Mapping[str, str],
    append_rows: bool = False,
    compared_with: int | None = None,
) -> Arrival:
    """Have the upload become the dataset's next version; otherwise like `ask_registration`.

    With `append_rows` its rows are added to those of the newest one, see `appending`. The columns
    were compared with those of the version with the number `compared_with`.
    """
    check_columns(schema_of_next(dataset, columns, upload), upload.headers)
    check_key(upload, dataset.private_id)
    if append_rows:
        check_appending(dataset, columns, user, public_facts(upload))
    # Said at once: a reader that lacks the key leaves the data to others.
    check_key_for(upload)
    hand_in(tenant=upload.tenant, user=user, upload_id=upload.pk)
    declared = {
        "columns": [column_fields(spec) for spec in columns],
        "append_rows": append_rows,
        "compared_with": compared_with,
    }
    return _ask(upload, user, typed, declared=declared, dataset=dataset, is_version=True)


class OneAtATime(SpokenRefusal):
    """Somebody has another dataset derived, which is not there yet."""

    def __init__(self) -> None:
        super().__init__(
            said("Another dataset is being put together for you. Wait until it is there.")
        )


@transaction.atomic
def ask_derived(*, membership: Membership, derivation: Derivation) -> Arrival:
    """Have two datasets put together as declared, out of their versions of now.

    Asked again while it waits or is made, it is the same arrival. Raises InvalidDomain naming the
    field, OneAtATime and TooManyFiles; then nothing has changed.
    """
    declared = planned(membership, derivation).of_these_versions.as_json()
    if other := namesake(membership, derivation.name):
        raise InvalidDomain("name", same_name(other))
    # As JSON has it, to be compared with what is stored.
    declared = json.loads(json.dumps(declared))
    queue_up(membership.tenant)
    mine = Arrival.objects.filter(
        tenant=membership.tenant_id, asked_by=membership.user_id, upload__isnull=True
    )
    running = mine.filter(state__in=Arrival.UNFINISHED).first()
    if running is not None and running.declared != declared:
        raise OneAtATime
    return running or _derived_arrival(membership, declared)


def _derived_arrival(membership: Membership, declared: dict[str, Any]) -> Arrival:
    """Whoever tries it over and over, with files of their own, learns no more than of as many."""
    tenant, user = membership.tenant, membership.user
    arrival = Arrival.objects.create(tenant=tenant, asked_by=user, declared=declared)
    hand_in(tenant=tenant, user=user, upload_id=arrival.pk)
    return arrival


def cancel_derived(arrival: Arrival) -> bool:
    """Stop it, if it has not ended."""
    cancelled = _end(arrival.pk, arrival.fence, Arrival.State.CANCELLED)
    if cancelled:
        remove_attempt(arrival.version_id)
    return cancelled


@transaction.atomic
def _ask(upload: Upload, user: User, typed: Mapping[str, str], **asked: Any) -> Arrival:
    ready_upload(upload.pk)
    earlier = arrival_of(upload)
    if earlier is not None and earlier.is_running:
        return earlier
    keep_draft(upload=upload, typed=typed)
    # One at a time, and the last one is what its owner is told about.
    Arrival.objects.filter(upload=upload).delete()
    return Arrival.objects.create(tenant_id=upload.tenant_id, upload=upload, asked_by=user, **asked)


def cancel_arrival(*, upload: Upload) -> bool:
    """Stop it, if it has not ended; what a worker has read so far is gone at once or soon."""
    found = arrival_of(upload)
    if found is None:
        return False
    cancelled = _end(found.pk, found.fence, Arrival.State.CANCELLED)
    if cancelled:
        remove_attempt(found.version_id)
    return cancelled


def refuse(arrival: Arrival, words: str, *, field: str = "", column: str = "") -> bool:
    """It ends without a dataset; whoever asked reads why, where it belongs."""
    outcome = {**as_values(words), "field": field, "column": column}
    with transaction.atomic():
        if arrival.upload_id is None:
            # First, as whoever records it does, who then writes the log and this row.
            queue_up(arrival.tenant)
        ended = _end(arrival.pk, arrival.fence, Arrival.State.REFUSED, outcome=outcome)
        if ended and arrival.upload_id is None:
            record_not_derived(arrival)
    return ended


def void(arrival: Arrival) -> bool:
    """It ends because whoever asked may not any more."""
    return _end(arrival.pk, arrival.fence, Arrival.State.CANCELLED)


def done(arrival: Arrival, dataset: Dataset, **outcome: bool) -> bool:
    """It has become this dataset, or a version of it; in the transaction that made it so."""
    return _end(arrival.pk, arrival.fence, Arrival.State.DONE, dataset=dataset, outcome=outcome)


def _end(pk: Any, fence: int, state: Arrival.State, **changes: Any) -> bool:
    """With the fence that it was seen with: one end, of whoever comes first."""
    held = Arrival.objects.filter(pk=pk, fence=fence, state__in=Arrival.UNFINISHED)
    return bool(
        held.update(
            state=state,
            ended_at=Now(),
            lease_until=None,
            fence=F("fence") + 1,
            declared={},
            rows_read=0,
            bytes_read=0,
            **changes,
        )
    )
