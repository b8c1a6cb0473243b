"""What the overview and the budget page show, read from ledger rows and queries only.

Must never open a data file, and must never tell an analyst what the worker is doing: analysts see
committed amounts (spent and reserved together, by the time of submission), never the split.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from dpgov.budgets.history import Balance, spending_drawn
from dpgov.budgets.models import Budget
from dpgov.dashboards.committed import committed_drawn
from dpgov.dashboards.limits import Way
from dpgov.datasets.models import Dataset
from dpgov.privacy.accountant import largest_fit
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.models import Membership

_RECENT = 50
_MOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Outlook:
    """How many more questions fit, and the size of question that this assumes."""

    questions: int
    usual_nano: int
    asked_before: int


def balances(budget: Budget, *, split: bool) -> tuple[list[Balance], bool]:
    """The budget over time, thinned for a chart, and whether steps were left out.

    Without `split` everything counts as spent.
    """
    steps, is_thinned = spending_drawn(budget) if split else committed_drawn(budget)
    shown = _thinned(steps)
    return shown, is_thinned or len(shown) < len(steps)


def outlook(dataset: Dataset, membership: Membership) -> Outlook:
    """How many more questions of the usual size fit into what remains.

    The usual size is the median of the latest questions that this person may see; before the
    first one, the most that one question may cost.
    """
    latest = visible_queries(membership).filter(dataset=dataset, reuse=False)
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


def _thinned(steps: list[Balance]) -> list[Balance]:
    """At most a few hundred points: a screen shows no more, and a page should stay small."""
    if len(steps) <= _MOST_POINTS:
        return steps
    stride = -(-len(steps) // _MOST_POINTS)
    return [*steps[::stride], steps[-1]]
