"""Two stored files become a dataset of their own, with both budgets behind it: all or nothing.

The file is made by a child process outside any transaction; then everything about it is written in
one, with one entry in the log. What comes of it, and when, follows from declarations alone: no
number of rows, no size, no count of people without a match, and one sentence for whatever fails.
"""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import structlog

from dpgov.audit.actions import Action
from dpgov.budgets.models import Budget
from dpgov.budgets.services import derive_budget, open_budget
from dpgov.budgets.words import noted, noted_limit
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DerivedFrom
from dpgov.datasets.services.derived.declared import Planned, planned
from dpgov.datasets.services.derived.moments import await_moment, longest
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.files.ingesting import Follower
from dpgov.datasets.services.files.uploads import child_limits
from dpgov.datasets.services.fingerprint_key import installation_key
from dpgov.datasets.services.guarantee import protected
from dpgov.datasets.services.holding import new_data_waits
from dpgov.datasets.services.recording import create_version, noted_unit, unit_fields
from dpgov.datasets.services.registration import free_slug
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.services.stored.seals import is_another
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.store.base import StoreAway
from dpgov.engines import child
from dpgov.engines.child import Ingested, Progress, RefusedFile
from dpgov.engines.deriving import Parent
from dpgov.engines.fingerprint import nothing
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

_log = structlog.get_logger("dpgov.reading")


class NotDerived(SpokenRefusal):
    """It could not be made: the same words whatever the reason."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "The two datasets could not be put together. Tell the operator of this "
                "installation if it happens again."
            )
        )


def make_derived(
    *, membership: Membership, derivation: Derivation, follower: Follower, began: float
) -> Dataset:
    """Put the rows together and record the dataset for whoever declared it.

    `began` is when the work was taken up, on the steady clock. Raises InvalidDomain where the two
    cannot be joined (any more), NotDerived, and whatever the follower raises; then no data
    file is left, or `orphans` decides about it where it broke off at COMMIT; nothing has changed.
    """
    plan = planned(membership, derivation)
    installation_key()
    version_id = uuid4()
    target, arriving = storage.data_path(version_id), storage.arriving_path(version_id)
    arriving.touch(mode=0o600)
    name, recording = "", keeping.Recording()

    def watch(_: Progress) -> None:
        arriving.touch()
        follower.look(Progress())

    try:
        follower.begins(version_id)
        is_there = _derive(plan, version_id, watch)
        if is_there:
            name = keeping.keep(membership.tenant_id, target, beat=lambda: watch(Progress()))
        look = keeping.fresh(name, lambda: watch(Progress()))
        await_moment(began, plan.rows_at_most, len(plan.schema.columns), look)
        if not is_there:
            raise NotDerived
        with recording.transaction():
            dataset = _record(membership, version_id, plan)
            keeping.note(membership.tenant_id, version_id, name)
            follower.recorded(dataset)
    except BaseException:
        if recording.may_be_there:
            raise
        keeping.give_up(name)
        target.unlink(missing_ok=True)
        arriving.unlink(missing_ok=True)
        raise
    keeping.settle(name)
    arriving.unlink(missing_ok=True)
    return dataset


def _derive(plan: Planned, version_id: UUID, watch: child.Watch) -> bool:
    """Whether it could be done. What failed, and when, would be a word about the rows."""
    first, second = (
        Parent(str(storage.data_path(version.pk)), side.rows_of_unit, places)
        for version, side, places in zip(
            plan.versions, plan.derivation.sides, plan.places, strict=True
        )
    )
    tenant_id, parents = plan.versions[0].tenant_id, [version.pk for version in plan.versions]
    try:
        with keeping.at_hand(tenant_id, parents, beat=lambda: watch(Progress())):
            if any(map(is_another, plan.versions)):
                raise keeping.DataMissing(*parents)
            child.derive(
                first,
                second,
                storage.data_path(version_id),
                columns=plan.schema.columns,
                rows_of_unit=plan.derivation.rows_of_unit,
                max_rows=plan.schema.max_rows,
                rows_at_most=plan.rows_at_most,
                # Whatever the rows are: a limit that they could reach would be a word about them.
                limits=replace(child_limits(), seconds=longest()),
                watch=watch,
            )
    except (RefusedFile, child.FullDisk, storage.NoRoom, keeping.DataMissing) as problem:
        _log.error("two files could not be put together", kind=type(problem).__name__)
        return False
    return True


def _record(membership: Membership, version_id: UUID, before: Planned) -> Dataset:
    """As it is now, under the locks of a registration and of both parents."""
    queue_up(membership.tenant)
    parents = [dataset.pk for dataset in before.parents]
    list(Dataset.objects.select_for_update(of=("self",)).filter(pk__in=parents).order_by("pk"))
    plan = planned(membership, before.of_these_versions)
    dataset = _create(membership, plan)
    create_version(
        dataset=dataset,
        version_id=version_id,
        number=1,
        schema=plan.schema,
        ingested=Ingested(0, nothing(version_id.hex)),
        added_by_id=membership.user_id,
    )
    _keep_parents(dataset, plan)
    _append_entry(dataset, membership, plan)
    return dataset


def _create(membership: Membership, plan: Planned) -> Dataset:
    derivation, schema, now = plan.derivation, plan.schema, clock.now()
    tenant, waits = membership.tenant, new_data_waits(membership.tenant_id)
    slug = free_slug(tenant, derivation.name)
    currency = plan.parents[0].currency
    return Dataset.objects.create(
        tenant=tenant,
        slug=slug,
        name=derivation.name,
        description=derivation.description,
        owner=membership.user,
        **unit_fields(schema.unit),
        neighbouring=schema.neighbouring.value,
        group_size=schema.group_size,
        max_rows=schema.max_rows,
        budget=_budget(plan, slug),
        per_query_limit_nano=currency.price_of(derivation.per_query_limit_nano),
        is_derived=True,
        opened_at=None if waits else now,
        held_at=now if waits else None,
        held_reason=Dataset.HeldReason.NEW_DATA if waits else "",
    )


def _budget(plan: Planned, slug: str) -> Budget:
    """Its own limit says how much of both parents' budgets may go through it."""
    first, second = plan.parents
    budget = open_budget(
        tenant=first.tenant,
        label=slug,
        limit_nano=plan.derivation.limit_nano,
        currency=first.currency,
        protects=protected(plan.schema),
    )
    derive_budget(budget=budget, parents=[first.budget, second.budget])
    return budget


def _keep_parents(dataset: Dataset, plan: Planned) -> None:
    DerivedFrom.objects.bulk_create(
        DerivedFrom(
            tenant_id=dataset.tenant_id,
            dataset=dataset,
            position=position,
            parent_id=version.dataset_id,
            version=version,
            rows_of_unit=side.rows_of_unit,
            prefix=side.prefix,
            columns=list(side.columns),
        )
        for position, (version, side) in enumerate(
            zip(plan.versions, plan.derivation.sides, strict=True)
        )
    )


def noted_parents(dataset: Dataset) -> list[dict[str, Any]]:
    """In an entry of the log: which versions of which datasets, and how much of them."""
    rows = DerivedFrom.objects.filter(dataset=dataset).select_related("parent", "version")
    return [
        {
            "dataset": one.parent.slug,
            "name": one.parent.name,
            "version": one.version.number,
            "rows_of_unit": one.rows_of_unit,
            "columns": list(one.columns),
            "prefix": one.prefix,
        }
        for one in rows
    ]


def _append_entry(dataset: Dataset, membership: Membership, plan: Planned) -> None:
    budget = dataset.budget
    record(
        dataset,
        actor_of(membership.user),
        Action.DATASET_DERIVED,
        {
            "name": dataset.name,
            "derived_from": noted_parents(dataset),
            "neighbouring": dataset.neighbouring,
            "group_size": dataset.group_size,
            **noted_unit(dataset),
            "columns": [spec.name for spec in plan.schema.columns],
            "mode": budget.mode,
            **noted_limit(budget),
            **noted(dataset.per_query_limit_nano, budget.currency, "per_query_limit"),
            "waits_for_look": dataset.held_at is not None,
        },
    )


def are_here(derivation: Derivation) -> bool:
    """Whether this machine has both files that are to be put together, or can bring them."""
    try:
        return all(keeping.is_kept(UUID(side.version)) for side in derivation.sides)
    except StoreAway:
        return False
