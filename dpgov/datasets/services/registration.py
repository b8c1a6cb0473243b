"""A file and its declared domains become a dataset with a budget, or one that waits for a decision.

The file is ingested by a child process outside any transaction; then everything about it is
written in one, with one audit entry. Must never read data itself, nor derive a domain from it. What
becomes of it here depends on the file and on what the same person brought before; whether it
resembles anybody else's data an officer sees later, see `looks`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify

from dpgov.audit.actions import Action
from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget, open_parts
from dpgov.budgets.words import noted, noted_limit
from dpgov.datasets.declaration import Declaration, check_live
from dpgov.datasets.models import Dataset, Upload
from dpgov.datasets.services.declaring import dataset_declared
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.files.drafts import drop_draft
from dpgov.datasets.services.files.handing_in import hand_in
from dpgov.datasets.services.files.ingesting import Follower, ingest_and_record
from dpgov.datasets.services.files.joins import check_key, public_facts
from dpgov.datasets.services.files.uploads import ready_upload, use_up
from dpgov.datasets.services.guarantee import check_same_guarantee, partition_parts, protected
from dpgov.datasets.services.holding import new_data_waits
from dpgov.datasets.services.likeness import (
    Compared,
    Match,
    compared,
    one_at_a_time,
)
from dpgov.datasets.services.recording import (
    create_version,
    noted_join,
    noted_parts,
    noted_unit,
)
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.child import Ingested
from dpgov.engines.likeness import Likeness
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.privacy.plan.schema import InvalidDomain, Neighbouring
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

# What addresses of ours have where a dataset's has its own: datasets/new/ and others.
_RESERVED_SLUGS = frozenset({"new", "held", "derived", "choosing-epsilon"})
_NOT_HELD = Q(held_at__isnull=True)
_DATASET_ALREADY = said("This table is a dataset already. Declare a new version of that.")


@dataclass(frozen=True, slots=True)
class Registered:
    """A new dataset: whether it shares an earlier budget, or nobody can ask about it yet."""

    dataset: Dataset
    shares_budget: bool
    is_held: bool


def register_dataset(
    *,
    tenant: Tenant,
    owner: User,
    upload: Upload,
    declaration: Declaration,
    follower: Follower | None = None,
) -> Registered:
    """Ingest the upload under the declared domains and open its budget.

    Data that this owner registered before, archived or not, keeps its budget: what was spent
    stays spent and the limit stays as it is. Data that is only much like earlier data of theirs is
    held: nobody can ask before two persons have decided. Other data waits for an officer where the
    tenant's rule says so. Raises InvalidDomain or RefusedFile naming the field, UploadUsed for a
    second registration, TooManyFiles; then nothing has changed.
    """
    check_declared(upload, declaration)
    hand_in(tenant=tenant, user=owner, upload_id=upload.pk)
    return ingest_and_record(
        upload,
        declaration.schema,
        lambda ingested, beat: compared(tenant.pk, owner.pk, ingested.fingerprint, beat=beat),
        partial(_record, tenant, owner, upload, declaration),
        partition_column=declaration.partition_column,
        follower=follower,
    )


def check_declared(upload: Upload, declaration: Declaration) -> None:
    """Raises InvalidDomain for what can be seen without reading the file."""
    declaration.check(upload.headers)
    check_key(upload, declaration.schema.unit.private_id)
    if upload.live_id is not None:
        _check_live(upload, declaration)
    if declaration.partition_column:
        partition_parts(declaration.schema, declaration.partition_column)


def _check_live(upload: Upload, declaration: Declaration) -> None:
    check_live(declaration)
    if Dataset.objects.filter(live=upload.live_id).exists():
        raise InvalidDomain("name", _DATASET_ALREADY)


@transaction.atomic
def _record(
    tenant: Tenant,
    owner: User,
    upload: Upload,
    declaration: Declaration,
    version_id: UUID,
    ingested: Ingested,
    before: Compared,
) -> Registered:
    one_at_a_time(tenant.pk, owner.pk)
    found = compared(tenant.pk, owner.pk, ingested.fingerprint, before).found
    queue_up(tenant)
    used = ready_upload(upload.id)
    earlier = same_data(found)
    if earlier is not None:
        check_same_guarantee(
            earlier,
            declaration.schema,
            partition_column=declaration.partition_column,
            delta=declaration.delta,
        )
    slug = free_slug(tenant, declaration.name)
    change_one = declaration.schema.neighbouring is Neighbouring.CHANGE_ONE
    dataset = create_dataset(
        dataset_declared(
            tenant=tenant,
            owner=owner,
            slug=slug,
            declaration=declaration,
            budget=new_budget(tenant, slug, declaration) if earlier is None else earlier.budget,
            public_rows=public_rows(declaration.schema.public_rows, declaration, ingested.rows),
            public_units=ingested.units if change_one else None,
        ),
        held_reason=held_reason(tenant, is_like_earlier=earlier is None and bool(found)),
    )
    create_version(
        dataset=dataset,
        version_id=version_id,
        number=1,
        schema=declaration.schema,
        ingested=ingested,
        added_by_id=owner.pk,
        joined=public_facts(used),
    )
    use_up(used)
    drop_draft(used)
    registered = Registered(dataset, earlier is not None, dataset.held_at is not None)
    append_entry(registered, owner, declaration, noted_join(public_facts(used)))
    return registered


def held_reason(tenant: Tenant, *, is_like_earlier: bool) -> str:
    """Why nobody can ask about a new dataset yet; empty where they can."""
    if is_like_earlier:
        return Dataset.HeldReason.LIKE_EARLIER_DATA
    return Dataset.HeldReason.NEW_DATA if new_data_waits(tenant.pk) else ""


def same_data(found: Iterable[Match], among: Q = _NOT_HELD) -> Dataset | None:
    """The first dataset with exactly this content among these: its people own the budget.

    Held datasets do not count: nobody has decided yet whose budget they have.
    """
    exact = [match.dataset_id for match in found if match.likeness is Likeness.EXACT]
    own = Dataset.objects.filter(among, pk__in=exact)
    return own.select_related("budget").order_by("created_at").first()


def new_budget(tenant: Tenant, slug: str, declaration: Declaration) -> Budget:
    """One that nothing is spent of, with its parts where it is divided."""
    budget = open_budget(
        tenant=tenant,
        label=slug,
        limit_nano=declaration.limit_nano,
        currency=declaration.currency,
        protects=protected(declaration.schema),
    )
    if declaration.partition_column:
        parts = partition_parts(declaration.schema, declaration.partition_column)
        open_parts(budget=budget, parts=parts)
    return budget


def public_rows(declared: int | None, declaration: Declaration, rows: int) -> int | None:
    """Under change_one the number of rows is public, so it is the true one; else as declared.

    Of units that a column names it is their own number that is public, and never that of rows.
    """
    schema = declaration.schema
    if schema.neighbouring is not Neighbouring.CHANGE_ONE or schema.unit.private_id is not None:
        return declared
    if declared is not None and declared != rows:
        raise InvalidDomain(
            "public_rows",
            said("The file has {rows:,} rows. Leave this empty to publish that number.", rows=rows),
        )
    return rows


def free_slug(tenant: Tenant, name: str) -> str:
    """An address that no dataset of the tenant has that is there; under its turn."""
    base = slugify(name)[:70].strip("-_") or "dataset"
    present = Dataset.objects.filter(tenant=tenant, archived_at__isnull=True)
    taken = _RESERVED_SLUGS | set(present.values_list("slug", flat=True))
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug


def create_dataset(dataset: Dataset, *, held_reason: str) -> Dataset:
    """Keep it as it is declared, open or held, in the caller's transaction."""
    now = clock.now()
    dataset.opened_at = None if held_reason else now
    dataset.held_at = now if held_reason else None
    dataset.held_reason = held_reason
    dataset.save(force_insert=True)
    return dataset


def append_entry(
    registered: Registered, owner: User, declaration: Declaration, about_rows: dict[str, Any]
) -> None:
    """The one entry of a registration; `about_rows` says where they come from besides a file."""
    dataset, budget = registered.dataset, registered.dataset.budget
    is_like_earlier = dataset.held_reason == Dataset.HeldReason.LIKE_EARLIER_DATA
    record(
        dataset,
        actor_of(owner),
        Action.DATASET_HELD if is_like_earlier else Action.DATASET_REGISTERED,
        {
            "name": dataset.name,
            "neighbouring": dataset.neighbouring,
            "group_size": dataset.group_size,
            **noted_unit(dataset),
            "columns": [spec.name for spec in declaration.schema.columns],
            **about_rows,
            "mode": budget.mode,
            **noted_limit(budget),
            **noted(dataset.per_query_limit_nano, budget.currency, "per_query_limit"),
            "partition_column": dataset.partition_column,
            **noted_parts(dataset),
            "needs_allocation": dataset.needs_allocation,
            "named_only": dataset.named_only,
            "shares_earlier_budget": registered.shares_budget,
            "waits_for_look": dataset.held_reason == Dataset.HeldReason.NEW_DATA,
        },
    )
