"""What all budgets come to, by what they are counted in: ε is never added to ρ."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import BigIntegerField, Count, F, QuerySet, Sum
from django.db.models.functions import Cast

from dpgov.budgets.models import Budget
from dpgov.budgets.words import amount
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Currency

_SUMS = {
    "number": Count("pk"),
    "limit": Cast(Sum("limit_nano"), BigIntegerField()),
    "committed": Cast(Sum(F("spent_nano") + F("reserved_nano")), BigIntegerField()),
}


@dataclass(frozen=True, slots=True)
class UnitTotal:
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


def totals_of(datasets: QuerySet[Dataset], lately: Sequence[Forecast]) -> list[UnitTotal]:
    """One for each unit, in ε first. One statement: sums of the ledger's balances.

    `lately` are at least all of the datasets of which something was taken in the last days.
    """
    within = datasets.order_by().values("budget")
    budgets = Budget.objects.filter(pk__in=within).order_by()
    sums = budgets.values_list("mode", "delta").annotate(**_SUMS)
    taken = _taken(lately)
    by_unit: defaultdict[Currency, Counter[str]] = defaultdict(Counter)
    for row in sums:
        # Budgets at another δ are counted in the same unit.
        mode, delta, *of = row
        unit = Budget(mode=mode, delta=delta).currency
        same = next((one for one in by_unit if one.symbol == unit.symbol), unit)
        by_unit[same].update(dict(zip(_SUMS, map(int, of), strict=True)))
    ordered = sorted(by_unit.items(), key=lambda one: one[0].symbol)
    return [_total(unit, of, taken[unit.symbol]) for unit, of in ordered]


def _taken(found: Sequence[Forecast]) -> Counter[str]:
    """By unit; of datasets that have one budget, once."""
    by_budget = {one.dataset.budget_id: one for one in found}
    taken: Counter[str] = Counter()
    for one in by_budget.values():
        taken[one.dataset.budget.currency.symbol] += one.taken_nano
    return taken


def _total(unit: Currency, of: Mapping[str, int], taken_nano: int) -> UnitTotal:
    amounts = (of["limit"], of["committed"], of["limit"] - of["committed"], taken_nano)
    return UnitTotal(unit.symbol, of["number"], *(amount(nano, unit) for nano in amounts))
