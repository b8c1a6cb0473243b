"""What becomes of a dataset that is held: its people have a budget already, or they do not.

Each step looks again at what was decided about; the audit entry is that of the decision, see
`deciding`. Must never tell an owner or analyst whose data a held dataset resembles.
"""

from django.db.models import Q, QuerySet

from dpgov.budgets.errors import BudgetFrozen, LedgerRefusal
from dpgov.budgets.services.freezing import confirm_place
from dpgov.budgets.services.shared_budgets import locked as locked_budgets
from dpgov.datasets.discarded import could_be_asked, was_asked
from dpgov.datasets.lineage import derived_of
from dpgov.datasets.models import Dataset, Look
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.deleting import leave
from dpgov.datasets.services.guarantee import check_same_guarantee
from dpgov.datasets.services.holding import end_hold, looked_at
from dpgov.datasets.services.likeness import compared, kept_fingerprint, one_at_a_time
from dpgov.datasets.services.live.connecting import let_go as let_go_of_table
from dpgov.datasets.services.live.marks import same_tables
from dpgov.datasets.services.parts import share_lines
from dpgov.datasets.services.registration import same_data
from dpgov.datasets.services.turns import queue_up
from dpgov.datasets.services.upkeep import archive_with_parent
from dpgov.engines.likeness import Likeness
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class NotHeld(SpokenRefusal):
    """The dataset is not held any more: someone has decided already."""

    def __init__(self) -> None:
        super().__init__(said("This dataset is not held any more: someone has decided already."))


class SamePeople(SpokenRefusal):
    """Exactly this data, of one person, or this table is there; another budget protects nobody."""

    def __init__(self, earlier: Dataset) -> None:
        super().__init__(
            said(
                "This is exactly the data of “{name}”. Let it share that budget or discard it.",
                name=earlier.name,
            )
        )


class AskedAlready(SpokenRefusal):
    """What was spent on it would be forgotten if it had another budget from now on."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This dataset could be asked about before. Put both datasets under a shared budget "
                "instead: it counts what was spent on either."
            )
        )


class NotConfirmed(BudgetFrozen):
    """What was spent on it is known only when an officer has confirmed it; asked again, it may do.

    It does not end the request: nothing that two persons saw has changed.
    """

    def __init__(self, dataset: Dataset) -> None:
        LedgerRefusal.__init__(
            self,
            said(
                "The balance of “{name}” is frozen after a restore. Confirm it first, and then "
                "decide about this.",
                name=dataset.name,
            ),
        )


class OtherBudget(SpokenRefusal):
    """The earlier dataset cannot lend its budget: it is held itself, or not of this tenant."""

    def __init__(self) -> None:
        super().__init__(said("Choose a dataset of your organisation that is not held itself."))


def release_held(*, dataset: Dataset, by: User) -> None:
    """Other people than before: the dataset keeps the budget it has and can be asked about.

    Raises NotHeld; SamePeople when exactly this data of the same person has a budget by now. Data
    of anybody else is left to the two who decide: it must not show in what becomes of a request.
    """
    held = _locked(dataset)
    # What was booked after a restore does not excuse it from this: none of that was looked at here.
    if held.opened_at is None:
        _check_twins(held)
    end_hold(held)
    looked_at(held, by, Look.Outcome.DECIDED)


# Held or not, what was spent on its people would stay behind on a budget beside theirs.
_COUNTS = Q(held_at__isnull=True) | could_be_asked()


def _check_twins(held: Dataset) -> None:
    earlier = _same_table(held) if held.live_id else _same_file(held)
    if earlier is not None:
        raise SamePeople(earlier)


def _same_file(held: Dataset) -> Dataset | None:
    version = current_version(held)
    found = compared(held.tenant_id, version.added_by_id, kept_fingerprint(version)).found
    others = (match for match in found if match.dataset_id != held.pk)
    return same_data(others, among=_COUNTS)


def _same_table(held: Dataset) -> Dataset | None:
    """Of the tenant; whether another one has it is for the two who decide to know."""
    same = [other.pk for other, how in same_tables(held) if how is Likeness.EXACT]
    return Dataset.objects.filter(_COUNTS, pk__in=same).order_by("created_at").first()


def share_budget(*, dataset: Dataset, earlier: Dataset, by: User) -> None:
    """The same people: from now on the dataset has the budget of `earlier`, as far as it is spent.

    Raises NotHeld, AskedAlready, OtherBudget, or InvalidDomain when the two guarantees cannot share
    a budget; NotConfirmed while what either has lost is not known. The budget that the dataset came
    with is not used by anybody any more.
    """
    held = _locked(dataset)
    lender = possible_lenders(held).filter(pk=earlier.pk).first()
    _check_confirmed([held] if lender is None else [held, lender])
    if was_asked(held):
        raise AskedAlready
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
    end_hold(held)
    looked_at(held, by, Look.Outcome.DECIDED)


def possible_lenders(dataset: Dataset) -> QuerySet[Dataset]:
    """The tenant's datasets that are not held, archived ones too: whose budget could be shared."""
    if dataset.is_derived:
        # Its people have two budgets already, and one that both are charged with.
        return Dataset.objects.none()
    free = Dataset.objects.filter(
        tenant_id=dataset.tenant_id, held_at__isnull=True, is_derived=False
    )
    return free.exclude(pk=dataset.pk).order_by("name", "created_at")


def discard_held(*, dataset: Dataset, by: User) -> None:
    """Nobody will ask about it any more.

    What nobody could ever ask about is deleted, and counts for no later comparison. What could be
    asked about before is archived, and what was derived from it with it: its people keep what was
    spent on them, and what was read of it in a pause ends as a failure. Raises NotHeld,
    NotConfirmed while it is not known which of both it is, and PausedDataset for what was derived,
    which could still be resumed.
    """
    held = _locked(dataset)
    _check_confirmed([held])
    for derived in derived_of(held):
        archive_with_parent(derived=derived, actor=actor_of(by))
    held.archived_at = clock.now()
    if was_asked(held):
        end_hold(held)
        held.save(update_fields=["archived_at"])
        return
    held.save(update_fields=["archived_at"])
    version = current_version(held)
    if held.live_id is not None:
        let_go_of_table(held.live_id)
        return
    leave([version.pk])


def _check_confirmed(datasets: list[Dataset]) -> None:
    """Their budgets are locked, and none is frozen; raises NotConfirmed, which names the first.

    BudgetFrozen in a database that was restored and is not frozen yet.
    """
    confirm_place()
    budgets = locked_budgets(dataset.budget_id for dataset in datasets)
    for dataset in datasets:
        if budgets[dataset.budget_id].frozen_at is not None:
            raise NotConfirmed(dataset)


def _locked(dataset: Dataset) -> Dataset:
    """The dataset, in the same hold still, under the locks of a registration; in the caller's
    transaction.
    """
    one_at_a_time(dataset.tenant_id, current_version(dataset).added_by_id)
    queue_up(dataset.tenant)
    held = Dataset.objects.select_for_update(of=("self",)).filter(
        pk=dataset.pk,
        held_at=dataset.held_at,
        held_at__isnull=False,
        archived_at__isnull=True,
    )
    found = held.first()
    if found is None:
        raise NotHeld
    return found
