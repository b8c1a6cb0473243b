"""Finding a dataset by words: in its name, its description and the names of its columns.

Declared metadata and the ledger only; archived and held datasets are never found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from dpgov.budgets.charging import Limit
from dpgov.budgets.ways import ways_for
from dpgov.datasets.fitting import NOTHING, Fit, all_rows, fit, policies_shown
from dpgov.datasets.lineage import needing_allocations, read_parents
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.selectors import datasets_of
from dpgov.datasets.status import Status, statuses_of
from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.selectors import membership_in, places_of

MOST_WORDS = 8
PAGE = 20


@dataclass(frozen=True, slots=True)
class Available:
    """What fits for one person; `tightest` is the limit of the ledger that admits least."""

    fit: Fit
    tightest: Limit | None = None
    needs_allocation: bool = False

    @property
    def nano(self) -> int:
        """The largest question."""
        return self.fit.nano

    @property
    def is_by_approval(self) -> bool:
        """Nothing fits only because an owner decides every question; the budget has more."""
        return self.fit.by_permit and not (self.nano or self.fit.binding)


@dataclass(frozen=True, slots=True)
class FoundDataset:
    """A dataset with its columns; `matching` are the names of those that a word is in.

    `status` is how it stands for everybody. `available` is what fits for this person now, None for
    who asks nothing.
    """

    dataset: Dataset
    status: Status
    columns: list[Column]
    matching: frozenset[str]
    available: Available | None


def find(
    membership: Membership, text: str, page: str | None
) -> tuple[Page[UUID], list[FoundDataset]]:
    """The datasets in which every word of a text is found, by name; all of them without a word."""
    words = text.split()[:MOST_WORDS]
    shown = Paginator(_matching(membership, words), PAGE).get_page(page)
    datasets = list(_with_newest(list(shown)))
    statuses, columns = statuses_of(datasets), _columns(datasets)
    available = _available(membership, datasets)
    return shown, [
        FoundDataset(
            dataset,
            statuses[dataset.pk],
            columns.get(dataset.pk, []),
            frozenset(
                column.name
                for column in columns.get(dataset.pk, [])
                if any(word.casefold() in column.name.casefold() for word in words)
            ),
            available.get(dataset.pk),
        )
        for dataset in datasets
    ]


def first_by_name(membership: Membership, most: int) -> tuple[list[FoundDataset], int]:
    """The first datasets with what fits of each, without their columns; and how many there are."""
    datasets = _first(*places_of(membership), roles=membership.roles_code, most=most)
    available = _available(membership, datasets)
    statuses = statuses_of(datasets)
    found = [
        FoundDataset(one, statuses[one.pk], [], frozenset(), available.get(one.pk))
        for one in datasets
    ]
    return found, getattr(datasets[0], "every") if datasets else 0  # noqa: B009


@Prepared
def _first(
    membership_id: UUID, tenant_id: UUID, user_id: UUID, *, roles: str, most: int
) -> QuerySet[Dataset]:
    seen = datasets_of(membership_in(membership_id, tenant_id, user_id, roles))
    every = seen.order_by().values("tenant").annotate(n=Count("pk")).values("n")
    return seen.annotate(every=Subquery(every))[:most]


def _matching(membership: Membership, words: list[str]) -> Any:
    """Their keys, by name; read at once where every dataset has to be looked at for them."""
    found = datasets_of(membership)
    for word in words:
        of_column = Column.objects.filter(version_id=OuterRef("newest"), name__icontains=word)
        found = found.alias(newest=_newest()).filter(
            Q(name__icontains=word) | Q(description__icontains=word) | Exists(of_column)
        )
    keys = found.select_related(None).values_list("pk", flat=True)
    return list(keys) if words else keys


def _with_newest(page: Sequence[UUID]) -> QuerySet[Dataset]:
    """Those of a page with their newest versions, in order."""
    rows = Dataset.objects.filter(pk__in=page).select_related("budget", "policy")
    return rows.annotate(newest=_newest()).order_by("name", "slug")


def _newest() -> Subquery:
    versions = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-number")
    return Subquery(versions.values("pk")[:1])


def _columns(datasets: list[Dataset]) -> dict[UUID, list[Column]]:
    by_version = {getattr(dataset, "newest"): dataset.pk for dataset in datasets}  # noqa: B009
    found: dict[UUID, list[Column]] = {}
    for column in Column.objects.filter(version__in=by_version):
        found.setdefault(by_version[column.version_id], []).append(column)
    return found


def _available(membership: Membership, datasets: Sequence[Dataset]) -> dict[UUID, Available]:
    if not may(membership, Permission.SUBMIT_QUERIES) or not datasets:
        return {}
    return available_on(membership.user, datasets)


def available_on(user: User | None, datasets: Sequence[Dataset]) -> dict[UUID, Available]:
    """What fits on each of these datasets, in the way that admits most, for a count of all rows.

    Without a user: for somebody without an allocation and a permit. The datasets were read with
    their budget and policy.
    """
    read_parents(datasets)
    needing = needing_allocations(datasets)
    ways = ways_for(user, [dataset.budget_id for dataset in datasets], needing=needing)
    policy = policies_shown(datasets, user, clock.today())
    available = {}
    for dataset in datasets:
        asked = all_rows(dataset)
        fits = [(fit(policy[dataset.pk], w.limits, asked), w) for w in ways[dataset.budget_id]]
        if not fits:
            available[dataset.pk] = Available(NOTHING, needs_allocation=True)
            continue
        most, way = max(fits, key=lambda pair: pair[0].nano)
        available[dataset.pk] = Available(most, way.limits[0])
    return available
