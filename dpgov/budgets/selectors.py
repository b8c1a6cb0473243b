"""Reads of the ledger: balances over time, and a recount that trusts no counter."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet, Sum

from dpgov.budgets.models import Budget, Charge, LimitChange, Reservation
from dpgov.privacy.budget import as_text
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class Balance:
    """What had been spent and reserved, and the limit, from this moment on; in nano-ε."""

    at: datetime
    spent_nano: int
    reserved_nano: int
    limit_nano: int


def spending_over_time(budget: Budget) -> list[Balance]:
    """The balance after every step of the ledger, oldest first."""
    spent = reserved = limit = 0
    balances = []
    for at, d_spent, d_reserved, new_limit in sorted(_steps(budget), key=lambda step: step[0]):
        spent, reserved = spent + d_spent, reserved + d_reserved
        limit = limit if new_limit is None else new_limit
        balances.append(Balance(at, spent, reserved, limit))
    return balances


_Step = tuple[datetime, int, int, int | None]


def _steps(budget: Budget) -> Iterator[_Step]:
    for change in budget.limit_changes.order_by("id"):
        yield change.created_at, 0, 0, change.after_nano
    for hold in budget.reservations.order_by("id"):
        yield hold.created_at, 0, hold.amount_nano, None
        if hold.ended_at is not None:
            settled = hold.amount_nano if hold.state == Reservation.State.SETTLED else 0
            yield hold.ended_at, settled, -hold.amount_nano, None


def ledger_findings(tenant: Tenant | None = None) -> list[str]:
    """Add up every entry again and name each counter that disagrees; an empty list is good."""
    budgets = Budget.objects.all() if tenant is None else Budget.objects.filter(tenant=tenant)
    recount = _Recount.of(budgets)
    return [finding for budget in budgets.order_by("id") for finding in recount.findings(budget)]


@dataclass(frozen=True, slots=True)
class _Recount:
    charged: dict[object, int]
    held: dict[object, int]
    settled: dict[object, int]
    limits: dict[object, int]

    @classmethod
    def of(cls, budgets: QuerySet[Budget]) -> "_Recount":
        holds = Reservation.objects.filter(budget__in=budgets)
        changes = LimitChange.objects.filter(budget__in=budgets).order_by("id")
        return cls(
            charged=_sums(Charge.objects.filter(budget__in=budgets)),
            held=_sums(holds.filter(state=Reservation.State.HELD)),
            settled=_sums(holds.filter(state=Reservation.State.SETTLED)),
            limits=dict(changes.values_list("budget_id", "after_nano")),
        )

    def findings(self, budget: Budget) -> Iterator[str]:
        comparisons = (
            ("spent", budget.spent_nano, "the charges", self.charged.get(budget.pk, 0)),
            ("reserved", budget.reserved_nano, "the holds", self.held.get(budget.pk, 0)),
            ("limit", budget.limit_nano, "its history", self.limits.get(budget.pk, 0)),
            (
                "settled holds",
                self.settled.get(budget.pk, 0),
                "the charges",
                self.charged.get(budget.pk, 0),
            ),
        )
        for name, stored, source, counted in comparisons:
            if stored != counted:
                yield (
                    f"{budget.label}: {name} says ε {as_text(stored)}, "
                    f"{source} add up to ε {as_text(counted)}"
                )
        if budget.remaining_nano < 0:
            yield f"{budget.label}: overspent by ε {as_text(-budget.remaining_nano)}"


def _sums(rows: QuerySet[Charge] | QuerySet[Reservation]) -> dict[object, int]:
    totals = rows.order_by().values_list("budget_id").annotate(total=Sum("amount_nano"))
    return dict(totals)
