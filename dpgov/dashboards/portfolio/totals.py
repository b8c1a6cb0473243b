"""What all budgets come to, by what they are counted in: ε is never added to ρ."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from dpgov.budgets.words import amount
from dpgov.dashboards.forecast.forecast import Forecast


@dataclass(frozen=True, slots=True)
class Total:
    """All budgets that add up in one unit; each once, however many datasets have it.

    How much is governed, and no loss of anybody's: people lose what the datasets lose that they are
    in. Amounts with their sign: the limits, what is committed, what is left, what the last days
    took.
    """

    symbol: str
    number: int
    limit: str
    committed: str
    left: str
    lately: str


def totals_of(found: Sequence[Forecast]) -> list[Total]:
    """One for each unit, in ε first. From the ledger's balances that were read already."""
    by_unit: defaultdict[str, dict[UUID, Forecast]] = defaultdict(dict)
    for one in found:
        budget = one.dataset.budget
        by_unit[budget.currency.symbol][budget.pk] = one
    return [_total(list(of.values())) for _unit, of in sorted(by_unit.items())]


def _total(of: Sequence[Forecast]) -> Total:
    budgets = [one.dataset.budget for one in of]
    currency = budgets[0].currency
    return Total(
        currency.symbol,
        len(budgets),
        amount(sum(one.limit_nano for one in budgets), currency),
        amount(sum(one.committed_nano for one in budgets), currency),
        amount(sum(one.remaining_nano for one in budgets), currency),
        amount(sum(one.taken_nano for one in of), currency),
    )
