"""What the overview and the budget page show, read from ledger rows and queries only.

Must never open a data file, and must never tell an analyst what the worker is doing: analysts see
committed amounts (spent and reserved together, by the time of submission), never the split.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median_low

from django.db.models import F, Q, QuerySet, Sum

from dpgov.budgets.history import Balance, spending_over_time
from dpgov.budgets.models import Budget, Reservation
from dpgov.dashboards.limits import Way
from dpgov.datasets.models import Dataset
from dpgov.privacy.accountant import largest_fit
from dpgov.queries.models import Query
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

_RESERVED = (Query.State.QUEUED, Query.State.RUNNING)
_SPENT = (Query.State.RELEASED, Query.State.FAILED)
_SPENT_SUM = Sum("cost_nano", filter=Q(state__in=_SPENT))
_RESERVED_SUM = Sum("cost_nano", filter=Q(state__in=_RESERVED))
_NOISE: dict[str, str] = {
    Budget.Mode.PURE: "discrete Laplace",
    Budget.Mode.ZCDP: "discrete Gaussian",
}
_RECENT = 50
_MOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Share:
    """A named part of a budget, in nano-ε; `noise` where the part is a kind of question."""

    name: str
    spent_nano: int
    reserved_nano: int = 0
    noise: str = ""

    @property
    def total_nano(self) -> int:
        """Spent and reserved together."""
        return self.spent_nano + self.reserved_nano


@dataclass(frozen=True, slots=True)
class Outlook:
    """How many more questions fit, and the size of question that this assumes."""

    questions: int
    usual_nano: int
    asked_before: int


def balances(budget: Budget, *, split: bool) -> list[Balance]:
    """The budget over time, thinned for a chart; without `split` everything counts as spent."""
    steps = spending_over_time(budget) if split else _committed_over_time(budget)
    return _thinned(steps)


def shares_by_analyst(dataset: Dataset, membership: Membership) -> list[Share]:
    """Who committed how much: names for who may see them, else only "you" and "others"."""
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        people = _committed(dataset).values("analyst__name", "analyst__email")
        rows = people.annotate(spent=_SPENT_SUM, reserved=_RESERVED_SUM).order_by(
            "-spent", "analyst__email"
        )
        return [
            Share(
                row["analyst__name"] or row["analyst__email"],
                row["spent"] or 0,
                row["reserved"] or 0,
            )
            for row in rows
        ]
    mine = _committed(dataset).filter(analyst_id=membership.user_id)
    own = mine.aggregate(total=Sum("cost_nano"))["total"] or 0
    everybody = dataset.budget.spent_nano + dataset.budget.reserved_nano
    return [Share("You", own), Share("Everybody else", max(0, everybody - own))]


def shares_by_mechanism(dataset: Dataset, membership: Membership) -> list[Share]:
    """What was asked and how it was answered, of the questions that this person may see."""
    queries = _committed(dataset).filter(pk__in=visible_queries(membership).order_by())
    rows = (
        queries.annotate(
            first=F("plan__statistics__0__statistic"),
            second=F("plan__statistics__1__statistic"),
            third=F("plan__statistics__2__statistic"),
            grouped=F("plan__group_by__0__column"),
        )
        .values("first", "second", "third", "grouped")
        .annotate(spent=_SPENT_SUM, reserved=_RESERVED_SUM)
    )
    totals: dict[str, list[int]] = {}
    for row in rows:
        kind = _kind([row["first"], row["second"], row["third"]], grouped=bool(row["grouped"]))
        amounts = totals.setdefault(kind, [0, 0])
        amounts[0] += row["spent"] or 0
        amounts[1] += row["reserved"] or 0
    noise = _NOISE[dataset.budget.mode]
    shares = [Share(name, spent, reserved, noise) for name, (spent, reserved) in totals.items()]
    return sorted(shares, key=lambda share: (-share.total_nano, share.name))


def outlook(dataset: Dataset, membership: Membership) -> Outlook:
    """How many more questions of the usual size fit into what remains.

    The usual size is the median of the latest questions that this person may see; before the
    first one, the most that one question may cost.
    """
    latest = visible_queries(membership).filter(dataset=dataset)
    costs = list(latest.values_list("cost_nano", flat=True)[:_RECENT])
    usual = median_low(costs) if costs else dataset.per_query_limit_nano
    return Outlook(dataset.budget.remaining_nano // usual, usual, len(costs))


def largest_next(dataset: Dataset, ways: Sequence[Way] = ()) -> int:
    """The largest ε that one question may still have, in nano-ε.

    `ways` are those in which a person may be charged; without them the dataset's limit counts.
    """
    if ways:
        return max(way.fit_nano for way in ways)
    budget = dataset.budget
    committed = budget.spent_nano + budget.reserved_nano
    return largest_fit(budget.limit_nano, committed, dataset.per_query_limit_nano)


def _committed(dataset: Dataset) -> QuerySet[Query]:
    return Query.objects.filter(dataset=dataset, state__in=(*_RESERVED, *_SPENT))


def _committed_over_time(budget: Budget) -> list[Balance]:
    """Every hold that was not given back counts from its submission; when it ended stays hidden."""
    given_back = (Reservation.State.VOIDED, Reservation.State.EXPIRED)
    holds = budget.reservations.exclude(state__in=given_back).values_list(
        "created_at", "amount_nano"
    )
    limits = budget.limit_changes.order_by("id").values_list("created_at", "after_nano")
    steps: list[tuple[datetime, int, int | None]] = [(at, nano, None) for at, nano in holds]
    steps += [(at, 0, nano) for at, nano in limits]
    committed = limit = 0
    series = []
    for at, nano, new_limit in sorted(steps, key=lambda step: step[0]):
        committed += nano
        limit = limit if new_limit is None else new_limit
        series.append(Balance(at, committed, 0, limit))
    return series


def _thinned(steps: list[Balance]) -> list[Balance]:
    """At most a few hundred points: a screen shows no more, and a page should stay small."""
    if len(steps) <= _MOST_POINTS:
        return steps
    stride = -(-len(steps) // _MOST_POINTS)
    return [*steps[::stride], steps[-1]]


def _kind(statistics: list[str | None], *, grouped: bool) -> str:
    names = [name for name in statistics if name]
    if grouped:
        names = ["histogram" if name == "count" else f"{name} by group" for name in names]
    return " + ".join(names).capitalize()
