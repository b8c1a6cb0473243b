"""What the overview and the budget page show, read from ledger rows and queries only.

Must never open a data file, and must never tell an analyst what the worker is doing: analysts see
committed amounts (spent and reserved together, by the time of submission), never the split.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from dpgov.budgets.charging import Limit
from dpgov.budgets.history import Balance, spending_thinned
from dpgov.budgets.models import Budget
from dpgov.dashboards.budget.committed import committed_thinned
from dpgov.datasets.fitting import NOTHING, Fit
from dpgov.datasets.models import Dataset
from dpgov.datasets.status import Status, status_now, status_of
from dpgov.limits.ways import Way, anybodys_way, usual
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

_RECENT = 50
_MOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Outlook:
    """What fits: the largest next question, and how many more of the size that this assumes.

    `binding` is the limit that admits no more; None where the policy does, or nothing is asked.
    `limits` are all that such a question meets. `status` is how the dataset stands for everybody.
    """

    questions: int
    usual_nano: int
    asked_before: int
    fit: Fit
    status: Status
    binding: Limit | None = None
    limits: Sequence[Limit] = ()


def balances(budget: Budget, *, split: bool) -> tuple[list[Balance], bool]:
    """The budget over time, thinned for a chart, and whether steps were left out.

    Without `split` everything counts as spent.
    """
    steps, is_thinned = spending_thinned(budget) if split else committed_thinned(budget)
    shown = _thinned(steps)
    return shown, is_thinned or len(shown) < len(steps)


def outlook(dataset: Dataset, membership: Membership, ways: Sequence[Way]) -> Outlook:
    """What fits now under every limit that a question of this person meets.

    `ways` are those in which they may be charged; who asks nothing is told what fits for somebody
    without an allocation and a permit. The usual size is the median of the latest questions that
    this person may see, as far as it fits; before the first one, the largest that does.
    """
    latest = visible_queries(membership).filter(dataset=dataset, reuse=False)
    costs = list(latest.values_list("cost_nano", flat=True)[:_RECENT])
    fits, limits = _fits(dataset, membership, ways)
    size = min(median_low(costs), fits.nano) if costs else fits.nano
    number = fits.in_all_nano // size if size else 0
    status = status_of(dataset, limits) if limits else status_now(dataset)
    return Outlook(number, size, len(costs), fits, status, limits[0] if limits else None, limits)


def _fits(
    dataset: Dataset, membership: Membership, ways: Sequence[Way]
) -> tuple[Fit, Sequence[Limit]]:
    way = usual(ways)
    if way is not None:
        return way.fit, way.limits
    if may(membership, Permission.SUBMIT_QUERIES):
        return NOTHING, ()
    way = anybodys_way(dataset)
    return way.fit, way.limits


def _thinned(steps: list[Balance]) -> list[Balance]:
    """At most a few hundred points: a screen shows no more, and a page should stay small."""
    if len(steps) <= _MOST_POINTS:
        return steps
    stride = -(-len(steps) // _MOST_POINTS)
    return [*steps[::stride], steps[-1]]
