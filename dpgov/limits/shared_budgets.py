"""Shared budgets with the names of the datasets in them, as one tenant may see them.

Must never show what belongs to the other organisation of a shared budget: it is one sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.budgets import shared_budgets as ledger
from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.models import Budget, Correction, SharedBudgetMember
from dpgov.datasets.audience import governs, seen
from dpgov.datasets.discarded import could_be_asked
from dpgov.datasets.models import Dataset
from dpgov.language.translation import in_a_row
from dpgov.tenants.models import Membership, Tenant
from dpgov.web.lists import holding

_EVENTS = {
    "joined": gettext_lazy("%(name)s joined"),
    "left": gettext_lazy("%(name)s left"),
    "carried_over": gettext_lazy("What %(name)s had lost before was carried over"),
    "refund": gettext_lazy("A question was refunded"),
    "after_restore": gettext_lazy("Booked after a restore"),
    "survey": gettext_lazy("A survey was opened"),
    "limit": gettext_lazy("Limit set"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """A dataset's budget with the datasets that use it; `fits` only where it could join."""

    budget: Budget
    names: str
    slug: str = ""
    since: datetime | None = None
    fits: bool = True


@dataclass(frozen=True, slots=True)
class Shared:
    """A shared budget, the tenant's own datasets in it, and whether another organisation's are.

    `surveys` are what its own surveys took, each under the survey's id with its question. `left`:
    it is another organisation's, and nothing of the tenant's is in it any more.
    """

    budget: Budget
    members: tuple[Named, ...]
    others: bool
    own: bool
    surveys: Sequence[Correction] = ()
    left: bool = False

    @property
    def names(self) -> str:
        """Its own datasets in one line."""
        return ", ".join(member.names for member in self.members)


@dataclass(frozen=True, slots=True)
class Happened:
    """A line of its history; `nano` is an amount or a new limit, in nano-ε."""

    at: datetime
    words: str
    nano: int | None
    reason: str


def shared_budgets(tenant: Tenant) -> list[Shared]:
    """Every open shared budget that the tenant has or is in."""
    return [shared(budget, tenant) for budget in ledger.shared_budgets_of(tenant)]


def shared(budget: Budget, tenant: Tenant) -> Shared:
    """One of them, with its members by name."""
    members = list(ledger.members_of(budget, tenant))
    known = _datasets(tenant, [member.dataset_budget_id for member in members])
    return _shared(budget, tenant, members, known)


def with_history(budget: Budget, tenant: Tenant) -> tuple[Shared, list[Happened]]:
    """One of them with its surveys, and what this tenant did to it, newest first."""
    members, events = list(ledger.members_of(budget, tenant)), ledger.events_of(budget, tenant)
    budgets = {event.budget.pk for event in events if event.budget}
    known = _datasets(tenant, budgets.union(member.dataset_budget_id for member in members))
    happened = [_happened(event, known) for event in events]
    found = _shared(budget, tenant, members, known)
    return replace(found, surveys=ledger.surveys_by(tenant).get(budget.pk, [])), happened


def _shared(
    budget: Budget,
    tenant: Tenant,
    members: Iterable[SharedBudgetMember],
    known: dict[UUID, list[Dataset]],
) -> Shared:
    named = tuple(
        _named(member.dataset_budget, known, since=member.joined_at) for member in members
    )
    own = budget.tenant_id == tenant.pk
    left = not (own or named)
    others = not left and shared_with_others(budget.pk, tenant.pk)
    return Shared(budget, named, others, own=own, left=left)


def candidates(tenant: Tenant) -> QuerySet[Dataset]:
    """Whose budgets share nothing yet, archived and paused ones included, by name.

    One dataset for each budget, with it; `named` tells all that use it.
    """
    opened = Dataset.objects.filter(could_be_asked(), tenant=tenant)
    before = opened.filter(budget=OuterRef("budget"), pk__lt=OuterRef("pk"))
    found = ledger.without_shared(tenant, opened, "budget").filter(~Exists(before))
    return found.select_related("budget").order_by("name", "slug", "pk")


def with_name(words: str) -> Q:
    """Which of them have, or share their budget with one that has, a name that holds the words."""
    found = Dataset.objects.filter(holding(words.split(), ("name", "slug")))
    return Q(budget__in=found.order_by().values("budget"))


def named(
    tenant: Tenant, datasets: Sequence[Dataset], shared_budget: Budget | None = None
) -> list[Named]:
    """These candidates, with everything that uses the budget of each; one statement for all."""
    budgets = [dataset.budget for dataset in datasets]
    known = _datasets(tenant, [budget.pk for budget in budgets])
    left = None if shared_budget is None else shared_budget.remaining_nano
    return [
        _named(budget, known, fits=left is None or budget.committed_nano <= left)
        for budget in budgets
    ]


def beside(dataset: Dataset, reader: Membership) -> tuple[Shared, str] | None:
    """What a dataset shares its budget with, in words that follow “with”; None for nothing.

    Whoever governs sees every name here, and that another organisation's datasets are among them.
    To everybody else those of others and those that they do not see are the same: other datasets.
    """
    sharing = ledger.sharing_of(dataset.budget_id, dataset.tenant)
    if sharing is None:
        return None
    own = Dataset.objects.filter(tenant=dataset.tenant, budget__in=sharing.own_budgets)
    own = own.annotate(is_seen=Case(When(seen(reader), then=True), default=False))
    named = [each.name for each in own if getattr(each, "is_seen")]  # noqa: B009
    names = sorted(named)
    if governs(reader) and sharing.others:
        names.append(pgettext("after with", "datasets of another organisation"))
    elif sharing.others or len(named) < len(own):
        names.append(_("other datasets"))
    whole = Shared(sharing.shared_budget, (), sharing.others, own=False)
    return whole, in_a_row(names)


def _why(event: ledger.SharedBudgetEvent) -> str:
    """What a person said about a limit, for which nobody has to say why; which survey it was."""
    if event.kind != "limit":
        return event.reason if event.kind == "survey" else ""
    return event.reason or ("" if event.before_nano else _("opened"))


def _happened(event: ledger.SharedBudgetEvent, known: dict[UUID, list[Dataset]]) -> Happened:
    return Happened(
        event.at,
        str(_EVENTS[event.kind]) % {"name": _names(event.budget, known)},
        event.nano,
        _why(event),
    )


def names_in(tenant: Tenant, budget_ids: Iterable[UUID]) -> dict[str, list[str]]:
    """The names of the `datasets` with these budgets, and which are `archived`, to be kept."""
    found = [each for group in _datasets(tenant, budget_ids).values() for each in group]
    archived = [each.name for each in found if each.archived_at]
    return {"datasets": [each.name for each in found], "archived": archived}


def _datasets(tenant: Tenant, budget_ids: Iterable[UUID]) -> dict[UUID, list[Dataset]]:
    found = Dataset.objects.filter(tenant=tenant, budget__in=list(budget_ids))
    known: dict[UUID, list[Dataset]] = {}
    for dataset in found.order_by("archived_at", "name"):
        known.setdefault(dataset.budget_id, []).append(dataset)
    return known


def _named(
    budget: Budget,
    known: dict[UUID, list[Dataset]],
    since: datetime | None = None,
    fits: bool = True,
) -> Named:
    present = [each for each in known.get(budget.pk, []) if each.archived_at is None]
    slug = present[0].slug if present else ""
    return Named(budget, _names(budget, known), slug, since, fits)


def _names(budget: Budget | None, known: dict[UUID, list[Dataset]]) -> str:
    if budget is None:
        return _("a shared budget")
    datasets = known.get(budget.pk, [])
    if not datasets:
        return _("“%(name)s”") % {"name": budget.label}
    archived = _("%(name)s (archived)")
    return in_a_row([archived % {"name": d.name} if d.archived_at else d.name for d in datasets])
