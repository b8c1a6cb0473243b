"""A new file, or other domains, for a dataset that exists: the people stay, and so does the budget.

A question keeps the version that it was asked of. What is spent, the limit, the privacy unit and
the parts of a partition never change with a version.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.declaration import check_columns
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.appending import check_appended, check_appending
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.files.drafts import drop_draft
from dpgov.datasets.services.files.handing_in import hand_in
from dpgov.datasets.services.files.ingesting import Follower, ingest_and_record
from dpgov.datasets.services.files.joins import check_key, public_facts
from dpgov.datasets.services.files.uploads import ready_upload, use_up
from dpgov.datasets.services.guarantee import check_same_parts
from dpgov.datasets.services.holding import hold, new_data_waits
from dpgov.datasets.services.likeness import (
    Compared,
    Match,
    compared,
    one_at_a_time,
    resembled_by,
)
from dpgov.datasets.services.recording import create_version, noted_join, noted_parts
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.store.base import Beat, quiet
from dpgov.engines.child import Ingested
from dpgov.language.said import said
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, InvalidDomain, Neighbouring
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

_DERIVED = said(
    "The rows of this dataset come out of two others. Derive another one from their new versions."
)
_OTHER_SOURCE = said(
    "The rows of a dataset stay in files, or in the one live table. Register this as a dataset of "
    "its own."
)
_OTHER_BUDGET = said(
    "This file resembles other data of yours, which has another budget, so it cannot become a "
    "version here without a compliance check. Register it as a dataset of its own: it is checked "
    "there."
)


def add_version(
    *,
    dataset: Dataset,
    upload: Upload,
    columns: tuple[ColumnSpec, ...],
    user: User,
    append_rows: bool = False,
    compared_with: int | None = None,
    follower: Follower | None = None,
) -> DatasetVersion:
    """Ingest the upload under these domains as the dataset's newest version.

    With `append_rows` it holds new rows only, see `appending`; `compared_with` is the number of the
    version that its columns were compared with when they were declared. Where new data waits for an
    officer, the dataset does so as a whole, the returned version's `dataset` says. Raises
    InvalidDomain or RefusedFile naming the field, UploadUsed for a second use of the file,
    TooManyFiles, and Dataset.DoesNotExist when the dataset was archived or held meanwhile; then
    nothing has changed.
    """
    schema = schema_of_next(dataset, columns, upload)
    check_columns(schema, upload.headers)
    check_key(upload, dataset.private_id)
    joined = public_facts(upload)
    to = check_appending(dataset, columns, user, joined) if append_rows else None
    hand_in(tenant=dataset.tenant, user=user, upload_id=upload.pk)
    return ingest_and_record(
        upload,
        schema,
        partial(_seen, dataset, user),
        lambda version_id, ingested, seen: _record(
            dataset, upload, schema, version_id, ingested, user, seen, to, compared_with
        ),
        partition_column=dataset.partition_column,
        budget_id=dataset.budget_id,
        append_to=to,
        follower=follower,
    )


def schema_of_next(
    dataset: Dataset, columns: tuple[ColumnSpec, ...], upload: Upload
) -> DatasetSchema:
    """What the dataset's next version would be; raises InvalidDomain for parts that differ.

    Nobody brings a file for what was derived: its rows come out of its parents. A live table stays
    the table that it is.
    """
    if dataset.is_derived:
        raise InvalidDomain("columns", _DERIVED)
    if dataset.live_id != upload.live_id:
        raise InvalidDomain("columns", _OTHER_SOURCE)
    schema = replace(schema_of(current_version(dataset)), columns=columns)
    if dataset.partition_column:
        check_same_parts(dataset, schema)
    return schema


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the file resembles of what its bringer brought, and what of that was decided before.

    Where rows are added, `file` is all of them together, and `new` the new ones. `undecided` are
    those of another budget about which nothing was decided.
    """

    file: Compared
    new: Compared
    decided: frozenset[int]
    undecided: frozenset[int]


def _seen(dataset: Dataset, user: User, ingested: Ingested, beat: Beat) -> _Seen:
    """Outside any transaction, and what came since then again in `_record`."""
    compare = partial(compared, dataset.tenant_id, user.pk, beat=beat)
    file, new = compare(ingested.fingerprint), Compared()
    if ingested.addition is not None:
        new = compare(ingested.addition)
    others = _with_another_budget(dataset, (*file.found, *new.found))
    decided = _decided(dataset, user, others, beat)
    return _Seen(file, new, decided, others - decided)


def _with_another_budget(dataset: Dataset, found: Iterable[Match]) -> frozenset[int]:
    sharing = set(Dataset.objects.filter(budget=dataset.budget_id).values_list("pk", flat=True))
    return frozenset(match.fingerprint_id for match in found if match.dataset_id not in sharing)


def _decided(
    dataset: Dataset, user: User, others: frozenset[int], beat: Beat = quiet
) -> frozenset[int]:
    """What their own versions of this dataset resemble was decided when these were registered.

    Versions that somebody else brought decide nothing here: the refusal would tell of their rows.
    """
    decided: set[int] = set()
    for version in dataset.versions.filter(added_by=user) if others else ():
        decided |= resembled_by(version, others - decided, beat=beat)
    return frozenset(decided)


@transaction.atomic
def _record(
    dataset: Dataset,
    upload: Upload,
    schema: DatasetSchema,
    version_id: UUID,
    ingested: Ingested,
    user: User,
    seen: _Seen,
    to: DatasetVersion | None,
    compared_with: int | None,
) -> DatasetVersion:
    one_at_a_time(dataset.tenant_id, user.pk)
    found = compared(dataset.tenant_id, user.pk, ingested.fingerprint, seen.file).found
    new: tuple[Match, ...] = ()
    if ingested.addition is not None:
        new = compared(dataset.tenant_id, user.pk, ingested.addition, seen.new).found
    queue_up(dataset.tenant)
    used = ready_upload(upload.id)
    present = Dataset.objects.get(pk=dataset.pk, archived_at__isnull=True, held_at__isnull=True)
    check_compared(present, schema, compared_with)
    _check_number(present, ingested)
    if to is not None:
        check_appended(present, to, new)
    _check_people(present, user, (*found, *new), seen)
    version = create_version(
        dataset=present,
        version_id=version_id,
        number=current_version(present).number + 1,
        schema=schema,
        ingested=ingested,
        added_by_id=user.pk,
        joined=public_facts(used),
    )
    waits = new_data_waits(present.tenant_id)
    if waits:
        hold(present, Dataset.HeldReason.NEW_DATA)
    use_up(used)
    drop_draft(used)
    record(
        present,
        actor_of(user),
        Action.DATASET_VERSION_ADDED,
        {
            "version": version.number,
            "columns": [spec.name for spec in schema.columns],
            **noted_join(version.joined),
            "rows_added_to": None if to is None else to.number,
            **noted_parts(present),
            "waits_for_look": waits,
        },
    )
    return version


def check_compared(dataset: Dataset, schema: DatasetSchema, number: int | None) -> None:
    """Nobody loses a column by a version that came after theirs was declared.

    What they agreed to lose they saw beside version `number`. Under the lock of a registration;
    raises InvalidDomain.
    """
    if number is None or number == current_version(dataset).number:
        return
    unseen = _lacked(schema, current_version(dataset))
    unseen -= _lacked(schema, dataset.versions.get(number=number))
    if unseen:
        words = said(
            "Another version came meanwhile, with columns that this one lacks: {names}. Declare "
            "this one again.",
            names=", ".join(sorted(unseen)),
        )
        raise InvalidDomain("columns", words)


def _lacked(schema: DatasetSchema, version: DatasetVersion) -> set[str]:
    there = set(version.columns.order_by().values_list("name", flat=True))
    return there - {spec.name for spec in schema.columns}


def _check_number(dataset: Dataset, ingested: Ingested) -> None:
    """Under change_one the number of units is public and part of the guarantee."""
    if dataset.neighbouring != Neighbouring.CHANGE_ONE:
        return
    if dataset.private_id:
        before, now = dataset.public_units, ingested.units or 0
        message = said(
            "The number of different ids of this dataset is public and has to stay: {before:,}, "
            "and the file has {now:,}. Register it as a dataset of its own.",
            before=before or 0,
            now=now,
        )
    else:
        before, now = dataset.public_rows, ingested.rows
        message = said(
            "The number of rows of this dataset is public and has to stay: {before:,}, and the "
            "file has {now:,}. Register it as a dataset of its own.",
            before=before or 0,
            now=now,
        )
    if before != now:
        raise InvalidDomain("columns", message)


def _check_people(dataset: Dataset, user: User, found: Iterable[Match], seen: _Seen) -> None:
    """People with another budget must not get this one too, unless that was decided before.

    Both by data that whoever brings the file brought before: of everybody else's an officer sees.
    """
    others = _with_another_budget(dataset, found) - seen.decided
    undecided = others & seen.undecided
    since = others - seen.undecided
    if undecided or since - _decided(dataset, user, since):
        raise InvalidDomain("columns", _OTHER_BUDGET)
