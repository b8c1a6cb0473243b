"""A live table becomes a dataset, and its other declarations a version of it.

The server is asked for the table's form once more, outside any transaction; then everything about
it is written in one, with one entry. No row is read. A table that is registered on this
installation already, by whomever, is held for two persons.
"""

from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.declaration import Declaration, check_columns
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services.declaring import dataset_declared
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.files.drafts import drop_draft
from dpgov.datasets.services.files.handing_in import hand_in
from dpgov.datasets.services.files.ingesting import Follower
from dpgov.datasets.services.files.uploads import UploadUsed, ready_upload, use_up
from dpgov.datasets.services.holding import hold, new_data_waits
from dpgov.datasets.services.live.asking import look_at
from dpgov.datasets.services.live.following import is_own
from dpgov.datasets.services.live.marks import (
    Marks,
    claim_table,
    is_known,
    keep_marks,
    marks_of,
    one_table_at_a_time,
)
from dpgov.datasets.services.recording import create_live_version
from dpgov.datasets.services.registration import (
    Registered,
    append_entry,
    check_declared,
    create_dataset,
    free_slug,
    held_reason,
    new_budget,
)
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.services.versions import check_compared, schema_of_next
from dpgov.language.said import said
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, InvalidDomain
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

_OTHER_TABLE = said(
    "The table reads others than before, and one of them is registered here as another dataset. "
    "Register it as a dataset of its own: it is checked there."
)


def register_live(
    *, tenant: Tenant, owner: User, upload: Upload, declaration: Declaration, follower: Follower
) -> Registered:
    """The table under the declared domains, with a budget of its own.

    Held where it, or what it reads, is registered here already; or where the tenant's rule lets new
    data wait. Raises InvalidDomain or RefusedTable naming the field, UploadUsed, and
    TooManyFiles; then nothing has changed.
    """
    check_declared(upload, declaration)
    hand_in(tenant=tenant, user=owner, upload_id=upload.pk)
    marks = _looked_at(upload, declaration.schema)
    version_id = uuid4()
    follower.begins(version_id)
    with transaction.atomic():
        registered = _record(tenant, owner, upload, declaration, version_id, marks)
        follower.recorded(registered)
    return registered


def _looked_at(upload: Upload, schema: DatasetSchema) -> Marks:
    live = upload.live
    if live is None:
        raise UploadUsed(upload.pk)
    return marks_of(look_at(live, columns=schema.columns, unit=schema.unit).names)


def _record(
    tenant: Tenant,
    owner: User,
    upload: Upload,
    declaration: Declaration,
    version_id: UUID,
    marks: Marks,
) -> Registered:
    one_table_at_a_time()
    queue_up(tenant)
    used = ready_upload(upload.id)
    live = used.live
    if live is None or Dataset.objects.filter(live=live).exists():
        raise UploadUsed(upload.pk)
    is_like_earlier = is_known(live, marks.sought)
    slug = free_slug(tenant, declaration.name)
    dataset = create_dataset(
        dataset_declared(
            tenant=tenant,
            owner=owner,
            slug=slug,
            declaration=declaration,
            budget=new_budget(tenant, slug, declaration),
            public_rows=declaration.schema.public_rows,
            live=live,
        ),
        held_reason=held_reason(tenant, is_like_earlier=is_like_earlier),
    )
    create_live_version(
        dataset=dataset,
        version_id=version_id,
        number=1,
        schema=declaration.schema,
        added_by_id=owner.pk,
    )
    keep_marks(live, marks)
    if not is_like_earlier:
        claim_table(live, marks)
    use_up(used)
    drop_draft(used)
    registered = Registered(dataset, shares_budget=False, is_held=dataset.held_at is not None)
    detail = {"live_table": True}
    if live.in_microseconds:
        detail["declared_in_microseconds"] = True
    append_entry(registered, owner, declaration, detail)
    return registered


def add_live_version(
    *,
    dataset: Dataset,
    upload: Upload,
    columns: tuple[ColumnSpec, ...],
    user: User,
    compared_with: int | None = None,
    follower: Follower,
) -> DatasetVersion:
    """Other declarations of the same table, under the same budget.

    Raises as `register_live` does, and Dataset.DoesNotExist when the dataset was archived or held
    meanwhile; then nothing has changed.
    """
    schema = schema_of_next(dataset, columns, upload)
    check_columns(schema, upload.headers)
    hand_in(tenant=dataset.tenant, user=user, upload_id=upload.pk)
    marks = _looked_at(upload, schema)
    version_id = uuid4()
    follower.begins(version_id)
    with transaction.atomic():
        version = _record_version(dataset, upload, schema, version_id, user, marks, compared_with)
        follower.recorded(version)
    return version


def _record_version(
    dataset: Dataset,
    upload: Upload,
    schema: DatasetSchema,
    version_id: UUID,
    user: User,
    marks: Marks,
    compared_with: int | None,
) -> DatasetVersion:
    one_table_at_a_time()
    queue_up(dataset.tenant)
    used = ready_upload(upload.id)
    present = Dataset.objects.get(pk=dataset.pk, archived_at__isnull=True, held_at__isnull=True)
    check_compared(present, schema, compared_with)
    _check_marks(present, marks)
    version = create_live_version(
        dataset=present,
        version_id=version_id,
        number=current_version(present).number + 1,
        schema=schema,
        added_by_id=user.pk,
    )
    waits = new_data_waits(present.tenant_id)
    if waits:
        hold(present, Dataset.HeldReason.NEW_DATA)
    use_up(used)
    drop_draft(used)
    detail: dict[str, Any] = {
        "version": version.number,
        "columns": [spec.name for spec in schema.columns],
        "waits_for_look": waits,
    }
    record(present, actor_of(user), Action.DATASET_VERSION_ADDED, detail)
    return version


def _check_marks(dataset: Dataset, marks: Marks) -> None:
    """What is read now and was not before must not be anybody else's; then it is this one's."""
    live = dataset.live
    if live is None:
        raise Dataset.DoesNotExist
    if not is_own(live, marks):
        raise InvalidDomain("columns", _OTHER_TABLE)
