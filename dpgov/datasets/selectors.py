"""Reads about datasets. Public metadata only; what is another tenant's looks like missing.

So does what is for others of the same tenant: `audience.seen` is part of what looks for a person.
To every door, page or API, it looks the same: what an address names is found here, or is a 404.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest
from rest_framework.request import Request

from dpgov.datasets.audience import seen
from dpgov.datasets.discarded import discarded
from dpgov.datasets.lineage import without_parent
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.language.said import Said, said
from dpgov.operation.prepared import Prepared, keep_related
from dpgov.privacy.plan.domains import category_domain, column_spec, date_domain, numeric_domain
from dpgov.privacy.plan.formula import formula_from
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.permissions import membership_of
from dpgov.tenants.selectors import membership_in, places_of


def present(dataset: str = "") -> Q:
    """Which datasets there are for everybody to see, by the path to them; paused ones too.

    A derived one is held as long as a parent is; with an archived parent it was archived.
    """
    there = Q(**{f"{dataset}archived_at__isnull": True, f"{dataset}held_at__isnull": True})
    return there & without_parent(dataset, held_at__isnull=False)


def _for_everybody(dataset: str = "") -> Q:
    """Those of them that are neither for named people only nor derived: plain columns decide.

    Tried first, since `present` and `seen` are half a millisecond and more of a request. It takes
    the same time for a slug that there is not and for what is hidden from this person.
    """
    plain = {"archived_at__isnull": True, "held_at__isnull": True}
    plain |= {"named_only": False, "is_derived": False}
    return Q(**{f"{dataset}{name}": value for name, value in plain.items()})


def open_to_questions(dataset: str = "") -> Q:
    """Which of them can be asked: the one place that says so, for every door."""
    going = Q(**{f"{dataset}paused_at__isnull": True})
    return present(dataset) & going & without_parent(dataset, paused_at__isnull=False)


def is_open(dataset_id: UUID) -> bool:
    """Whether questions about it can be accepted at all, as it stands now in the database."""
    return bool(_open(dataset_id))


@Prepared
def _open(dataset_id: UUID) -> QuerySet[Dataset, Any]:
    return Dataset.objects.filter(open_to_questions(), pk=dataset_id).values_list("pk")


def is_paused(dataset_id: UUID) -> bool:
    """Whether its owners paused it, or a parent of it, and nothing else closes it."""
    there = Dataset.objects.filter(present(), pk=dataset_id)
    return there.exclude(open_to_questions()).exists()


def with_rules(tenant_id: UUID) -> QuerySet[Dataset]:
    """All of the tenant's datasets by name, held and archived ones too, with budget and policy."""
    found = Dataset.objects.filter(tenant=tenant_id)
    return found.select_related("budget", "policy").order_by("name", "slug")


def every_dataset_of(tenant_id: UUID) -> QuerySet[Dataset]:
    """The tenant's datasets that are neither held nor archived, on nobody's behalf."""
    return with_rules(tenant_id).filter(present())


def datasets_of(membership: Membership) -> QuerySet[Dataset]:
    """Those that this person sees, by name, with their budgets."""
    return every_dataset_of(membership.tenant_id).filter(seen(membership))


def namesake(membership: Membership, name: str, *, but: Dataset | None = None) -> Dataset | None:
    """Another dataset that this person sees, called the same but for capitals."""
    others = datasets_of(membership).filter(name__iexact=name.strip())
    return others.exclude(pk=but.pk).first() if but else others.first()


def same_name(other: Dataset) -> Said:
    """Why a dataset cannot be called that: two of one name cannot be told apart on a desk."""
    return said(
        "“{name}”, at {address}, is called that already. Choose another name.",
        name=other.name,
        address=f"/datasets/{other.slug}/",
    )


def get_dataset(membership: Membership, slug: str) -> Dataset:
    """One of the above; raises Dataset.DoesNotExist for foreign, held, others' and missing ones."""
    found = _for_all(membership.tenant_id, slug) or _seen(
        *places_of(membership), slug, roles=membership.roles_code
    )
    if not found:
        raise Dataset.DoesNotExist
    return found[0]


def _called(tenant_id: UUID, slug: str) -> QuerySet[Dataset]:
    return with_rules(tenant_id).filter(slug=slug).select_related("tenant", "owner")


@Prepared
def _for_all(tenant_id: UUID, slug: str) -> QuerySet[Dataset]:
    return _called(tenant_id, slug).filter(_for_everybody())


@Prepared
def _seen(
    membership_id: UUID, tenant_id: UUID, user_id: UUID, slug: str, *, roles: str
) -> QuerySet[Dataset]:
    reader = membership_in(membership_id, tenant_id, user_id, roles)
    return _called(tenant_id, slug).filter(present(), seen(reader))


def archived_datasets(tenant: Tenant) -> QuerySet[Dataset]:
    """The tenant's archived datasets, the newest first; those that were discarded are left out.

    One that was held when a parent was archived is among them if it was ever asked about.
    """
    found = Dataset.objects.filter(~discarded(), tenant=tenant, archived_at__isnull=False)
    return found.select_related("budget").order_by("-archived_at", "name")


def current_version(dataset: Dataset) -> DatasetVersion:
    """The newest version, which is the one that questions are asked of."""
    return _one_of(_newest(dataset.pk))


def _one_of(found: list[DatasetVersion]) -> DatasetVersion:
    if not found:
        raise DatasetVersion.DoesNotExist
    return found[0]


_MOST_COPIES = 300
_VERSIONS = DatasetVersion.objects.select_related("dataset__budget", "dataset__policy")


@Prepared
def _newest(dataset_id: UUID) -> QuerySet[DatasetVersion]:
    return _VERSIONS.filter(dataset=dataset_id).order_by("-number")[:1]


def version_to_ask(membership: Membership, slug: str) -> DatasetVersion:
    """The newest version of the dataset of `get_dataset`, with dataset, budget and columns.

    Raises DatasetVersion.DoesNotExist for foreign, held, others' and missing ones alike.
    """
    version = _one_of(
        _newest_for_all(membership.tenant_id, slug)
        or _newest_seen(*places_of(membership), slug, roles=membership.roles_code)
    )
    keep_related(version, "columns", _columns(version.pk))
    return version


def _newest_called(tenant_id: UUID, slug: str) -> QuerySet[DatasetVersion]:
    found = _VERSIONS.filter(dataset__tenant=tenant_id, dataset__slug=slug)
    return found.order_by("-number")


@Prepared
def _newest_for_all(tenant_id: UUID, slug: str) -> QuerySet[DatasetVersion]:
    return _newest_called(tenant_id, slug).filter(_for_everybody("dataset__"))[:1]


@Prepared
def _newest_seen(
    membership_id: UUID, tenant_id: UUID, user_id: UUID, slug: str, *, roles: str
) -> QuerySet[DatasetVersion]:
    reader = membership_in(membership_id, tenant_id, user_id, roles)
    found = _newest_called(tenant_id, slug)
    return found.filter(present("dataset__"), seen(reader, "dataset__"))[:1]


def columns_of(version: DatasetVersion) -> Iterable[Column]:
    """Its columns in stored order, as they were read with it, or now."""
    is_read = "columns" in vars(version).get("_prefetched_objects_cache", ())
    return version.columns.all() if is_read else _columns(version.pk)


@Prepared
def _columns(version_id: UUID) -> QuerySet[Column]:
    return Column.objects.filter(version=version_id)


def schema_of(version: DatasetVersion) -> DatasetSchema:
    """The version's public metadata as a value, columns in stored order."""
    dataset = version.dataset
    return DatasetSchema(
        columns=tuple(_spec(column) for column in columns_of(version)),
        unit=PrivacyUnit(
            dataset.private_id or None, version.max_rows_per_unit, version.max_groups_per_unit
        ),
        neighbouring=Neighbouring(dataset.neighbouring),
        group_size=dataset.group_size,
        max_rows=dataset.max_rows,
        public_rows=version.public_rows,
        mode=dataset.budget.currency.mode,
        is_live=dataset.live_id is not None,
        is_cluster=dataset.live is not None and dataset.live.is_cluster,
    )


def _spec(column: Column) -> ColumnSpec:
    formula = formula_from(column.formula)
    return column_spec(column.name, _domain(column), column.missing, column.impute, formula)


def _domain(column: Column) -> NumericDomain | CategoryDomain:
    if column.kind == Column.Kind.CATEGORY:
        return category_domain(column.categories)
    if column.kind == Column.Kind.DATE:
        texts = column.lower, column.upper, column.step, column.date_format, column.time_zone
        return date_domain(*texts)
    return numeric_domain(column.lower, column.upper, column.step)


def versions_to_copy(membership: Membership) -> QuerySet[DatasetVersion]:
    """Every version with declarations of its own that this owner sees, the newest first."""
    found = _versions_to_copy(membership).select_related("dataset")
    return found.order_by("dataset__name", "dataset__slug", "-number")[:_MOST_COPIES]


def version_to_copy(membership: Membership, chosen: str) -> DatasetVersion | None:
    """One of the same, by its id; None for foreign, held, archived and missing ones alike."""
    try:
        sought = UUID(chosen)
    except ValueError:
        return None
    return _versions_to_copy(membership).select_related("dataset").filter(pk=sought).first()


def _versions_to_copy(membership: Membership) -> QuerySet[DatasetVersion]:
    mine = open_to_questions("dataset__"), seen(membership, "dataset__")
    found = DatasetVersion.objects.filter(*mine, dataset__tenant=membership.tenant_id)
    # What a refresh declares, the version before it does.
    return found.filter(refreshed_by__isnull=True)


def dataset_or_404(request: HttpRequest | Request, slug: str) -> Dataset:
    """The tenant's dataset; foreign, held, others' and missing ones give the same 404."""
    try:
        return get_dataset(membership_of(request), slug)
    except Dataset.DoesNotExist as missing:
        raise Http404 from missing


def version_or_404(request: HttpRequest | Request, slug: str) -> DatasetVersion:
    """The newest version of the same dataset, with all that a price is made of."""
    try:
        return version_to_ask(membership_of(request), slug)
    except DatasetVersion.DoesNotExist as missing:
        raise Http404 from missing


def old_version_or_404(dataset: Dataset, number: int) -> DatasetVersion:
    """A version of it that is not the newest and whose data was not deleted; else the same 404."""
    newest = current_version(dataset)
    kept = dataset.versions.filter(number=number, data_deleted_at__isnull=True)
    found = kept.exclude(pk=newest.pk).first()
    if found is None:
        raise Http404
    return found
