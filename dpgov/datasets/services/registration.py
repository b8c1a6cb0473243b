"""A file and its declared domains become a dataset with a budget.

The file is ingested by a child process outside any transaction; then everything about it is
written in one, with one audit entry. Must never read data itself, nor derive a domain from it.
"""

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import transaction
from django.utils.text import slugify

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget
from dpgov.datasets import storage
from dpgov.datasets.declaration import Declaration, column_fields
from dpgov.datasets.models import Column, Dataset, DatasetVersion, Upload
from dpgov.datasets.services.limits import child_limits
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.services.uploads import UploadUsed, ready_upload
from dpgov.engines import child
from dpgov.engines.child import Ingested, RefusedFile
from dpgov.privacy.budget import as_text
from dpgov.privacy.schema import InvalidDomain, Neighbouring
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

# The last part of an address of ours: datasets/new/.
_RESERVED_SLUGS = frozenset({"new"})


@dataclass(frozen=True, slots=True)
class Registered:
    """A new dataset, and whether it shares the budget of an earlier one with the same data."""

    dataset: Dataset
    shares_budget: bool


def register_dataset(
    *, tenant: Tenant, owner: User, upload: Upload, declaration: Declaration
) -> Registered:
    """Ingest the upload under the declared domains and open its budget.

    Data that this tenant registered before, archived or not, keeps its budget: what was spent
    stays spent and the limit stays as it is. Raises InvalidDomain or RefusedFile naming the field,
    UploadUsed for a second registration; then nothing has changed.
    """
    declaration.check(upload.headers)
    source = storage.upload_path(upload.id)
    if not source.exists():
        raise UploadUsed(upload.id)
    version_id = uuid4()
    target = storage.data_path(version_id)
    schema = declaration.schema
    try:
        ingested = child.ingest(
            source,
            target,
            columns=schema.columns,
            max_rows=schema.max_rows,
            limits=child_limits(),
        )
        registered = _record(tenant, owner, upload, declaration, version_id, ingested)
    except BaseException as problem:
        target.unlink(missing_ok=True)
        if isinstance(problem, RefusedFile) and not source.exists():
            # A twin of this request registered the file and removed it under the reader.
            raise UploadUsed(upload.id) from problem
        raise
    source.unlink(missing_ok=True)
    return registered


@transaction.atomic
def _record(
    tenant: Tenant,
    owner: User,
    upload: Upload,
    declaration: Declaration,
    version_id: UUID,
    ingested: Ingested,
) -> Registered:
    queue_up(tenant)
    used = ready_upload(upload.id)
    earlier = _same_data(tenant, ingested.fingerprint)
    _check_same_guarantee(earlier, declaration)
    slug = _free_slug(tenant, declaration.name)
    dataset = _create_dataset(
        tenant=tenant,
        owner=owner,
        slug=slug,
        declaration=declaration,
        budget=_budget(tenant, slug, declaration, earlier),
        public_rows=_public_rows(declaration, ingested.rows),
    )
    _create_version(dataset, version_id, ingested.fingerprint, declaration)
    used.state = Upload.State.USED
    used.save(update_fields=["state"])
    registered = Registered(dataset, shares_budget=earlier is not None)
    _append_entry(registered, owner, declaration)
    return registered


def _same_data(tenant: Tenant, fingerprint: str) -> Dataset | None:
    """The first dataset with this content: the budget belongs to the people in the data."""
    found = (
        DatasetVersion.objects.filter(dataset__tenant=tenant, fingerprint=fingerprint)
        .select_related("dataset__budget")
        .order_by("created_at")
        .first()
    )
    return found.dataset if found else None


def _check_same_guarantee(earlier: Dataset | None, declaration: Declaration) -> None:
    """One budget has one meaning: losses under two relations cannot be added up."""
    if earlier is None:
        return
    for field in ("neighbouring", "group_size"):
        before = getattr(earlier, field)
        if before != getattr(declaration.schema, field):
            raise InvalidDomain(
                field,
                f"This data was registered before, as “{earlier.name}”, with {before} here, and "
                "shares the budget of that dataset. Choose the same.",
            )


def _budget(tenant: Tenant, slug: str, declaration: Declaration, earlier: Dataset | None) -> Budget:
    if earlier is not None:
        return earlier.budget
    return open_budget(tenant=tenant, label=slug, limit_nano=declaration.limit_nano)


def _public_rows(declaration: Declaration, rows: int) -> int | None:
    """Under change_one the number of rows is public, so it is the true one; else as declared."""
    declared = declaration.schema.public_rows
    if declaration.schema.neighbouring is not Neighbouring.CHANGE_ONE:
        return declared
    if declared is not None and declared != rows:
        raise InvalidDomain(
            "public_rows", f"The file has {rows:,} rows. Leave this empty to publish that number."
        )
    return rows


def _free_slug(tenant: Tenant, name: str) -> str:
    base = slugify(name)[:70].strip("-_") or "dataset"
    present = Dataset.objects.filter(tenant=tenant, archived_at__isnull=True)
    taken = _RESERVED_SLUGS | set(present.values_list("slug", flat=True))
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug


def _create_dataset(
    *,
    tenant: Tenant,
    owner: User,
    slug: str,
    declaration: Declaration,
    budget: Budget,
    public_rows: int | None,
) -> Dataset:
    schema = declaration.schema
    return Dataset.objects.create(
        tenant=tenant,
        slug=slug,
        name=declaration.name,
        description=declaration.description,
        owner=owner,
        neighbouring=schema.neighbouring.value,
        group_size=schema.group_size,
        max_rows=schema.max_rows,
        public_rows=public_rows,
        budget=budget,
        per_query_limit_nano=declaration.per_query_limit_nano,
    )


def _create_version(
    dataset: Dataset, version_id: UUID, fingerprint: str, declaration: Declaration
) -> None:
    version = DatasetVersion.objects.create(
        id=version_id,
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        number=1,
        fingerprint=fingerprint,
    )
    Column.objects.bulk_create(
        Column(
            tenant_id=dataset.tenant_id, version=version, position=position, **column_fields(spec)
        )
        for position, spec in enumerate(declaration.schema.columns)
    )


def _append_entry(registered: Registered, owner: User, declaration: Declaration) -> None:
    dataset = registered.dataset
    append(
        tenant_id=dataset.tenant_id,
        actor=actor_of(owner),
        action=Action.DATASET_REGISTERED,
        subject=f"dataset:{dataset.id}",
        dataset=dataset.slug,
        detail={
            "name": dataset.name,
            "neighbouring": dataset.neighbouring,
            "group_size": dataset.group_size,
            "columns": [spec.name for spec in declaration.schema.columns],
            "limit_epsilon": as_text(dataset.budget.limit_nano),
            "per_query_limit_epsilon": as_text(dataset.per_query_limit_nano),
            "shares_earlier_budget": registered.shares_budget,
        },
    )
