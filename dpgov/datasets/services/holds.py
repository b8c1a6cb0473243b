"""What becomes of a dataset that is held: its people have a budget already, or they do not.

Each step looks again at what was decided about; the audit entry is that of the decision, see
`deciding`. Must never tell an owner or analyst whose data a held dataset resembles.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.fingerprints import kept_fingerprint
from dpgov.datasets.services.guarantee import check_same_guarantee
from dpgov.datasets.services.parts import share_lines
from dpgov.datasets.services.registration import same_data
from dpgov.datasets.services.resemblance import Match, matches, one_at_a_time
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.likeness import Likeness
from dpgov.privacy.said import said
from dpgov.tenants.spoken import SpokenRefusal


class NotHeld(SpokenRefusal):
    """The dataset is not held any more: somebody has decided already."""

    def __init__(self) -> None:
        super().__init__(said("This dataset is not held any more: somebody has decided already."))


class SamePeople(SpokenRefusal):
    """Exactly this data has a budget already; a second one would not protect its people."""

    def __init__(self, earlier: Dataset) -> None:
        super().__init__(
            said(
                "This is exactly the data of “{name}”. Let it share that budget or discard it.",
                name=earlier.name,
            )
        )


class OtherBudget(SpokenRefusal):
    """The earlier dataset cannot lend its budget: it is held itself, or not of this tenant."""

    def __init__(self) -> None:
        super().__init__(said("Choose a dataset of your organisation that is not held itself."))


@dataclass(frozen=True, slots=True)
class Resembling:
    """What an officer sees: own datasets by name and likeness, others only as being there."""

    own: list[tuple[Dataset, Likeness]]
    elsewhere: bool


def resembling(version: DatasetVersion) -> Resembling:
    """Which data the newest version of a held dataset resembles, looked up now."""
    dataset = version.dataset
    found = _matches_of(version)
    likest: dict[UUID, Likeness] = {}
    order = list(Likeness)
    for match in found:
        if match.dataset_id is not None:
            before = likest.get(match.dataset_id, Likeness.NONE)
            likest[match.dataset_id] = min(before, match.likeness, key=order.index)
    own = Dataset.objects.filter(pk__in=likest, tenant_id=dataset.tenant_id).order_by("created_at")
    return Resembling(
        own=[(earlier, likest[earlier.pk]) for earlier in own],
        elsewhere=any(match.dataset_id is None for match in found),
    )


def _matches(dataset: Dataset) -> list[Match]:
    return _matches_of(current_version(dataset))


def _matches_of(version: DatasetVersion) -> list[Match]:
    dataset = version.dataset
    found = matches(dataset.tenant_id, kept_fingerprint(version))
    return [match for match in found if match.dataset_id != dataset.pk]


def release_held(*, dataset: Dataset) -> None:
    """Other people than before: the dataset keeps the budget it came with and can be asked about.

    Raises NotHeld; SamePeople when exactly this data has a budget of the tenant by now.
    """
    held = _locked(dataset)
    earlier = same_data(_matches(held))
    if earlier is not None:
        raise SamePeople(earlier)
    _end_hold(held)


def share_budget(*, dataset: Dataset, earlier: Dataset) -> None:
    """The same people: from now on the dataset has the budget of `earlier`, as far as it is spent.

    Raises NotHeld, OtherBudget, or InvalidDomain when the two guarantees cannot share a budget.
    The budget that the dataset came with is not used by anybody any more.
    """
    held = _locked(dataset)
    lender = possible_lenders(held).filter(pk=earlier.pk).first()
    if lender is None:
        raise OtherBudget
    schema = schema_of(current_version(held))
    check_same_guarantee(
        lender,
        schema,
        partition_column=held.partition_column,
        delta=held.budget.currency.delta,
    )
    share_lines(lender.budget_id, held, schema)
    held.budget_id = lender.budget_id
    held.save(update_fields=["budget"])
    _end_hold(held)


def possible_lenders(dataset: Dataset) -> QuerySet[Dataset]:
    """The tenant's datasets that are not held, archived ones too: whose budget could be shared."""
    free = Dataset.objects.filter(tenant_id=dataset.tenant_id, held_at__isnull=True)
    return free.exclude(pk=dataset.pk).order_by("name", "created_at")


def discard_held(*, dataset: Dataset) -> None:
    """Nobody will ever ask about it: the file is deleted, and it counts for no later comparison."""
    held = _locked(dataset)
    held.archived_at = timezone.now()
    held.save(update_fields=["archived_at"])
    path = storage.data_path(current_version(held).pk)
    transaction.on_commit(lambda: path.unlink(missing_ok=True))


def _locked(dataset: Dataset) -> Dataset:
    """The dataset, still held, under the locks of a registration; in the caller's transaction."""
    queue_up(dataset.tenant)
    one_at_a_time()
    held = Dataset.objects.select_for_update(of=("self",)).filter(
        pk=dataset.pk, held_at__isnull=False, archived_at__isnull=True
    )
    found = held.first()
    if found is None:
        raise NotHeld
    return found


def _end_hold(held: Dataset) -> None:
    held.held_at, held.held_reason = None, ""
    held.save(update_fields=["held_at", "held_reason"])
