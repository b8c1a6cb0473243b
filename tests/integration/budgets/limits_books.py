"""What the ledger should say of a few budgets, added up anew from every question each time."""

import uuid
from dataclasses import dataclass, field
from datetime import date, datetime

from dpgov.budgets.windows import window_start

PARTS = ("north", "south")


@dataclass
class Limit:
    """A budget that a person can check by eye."""

    limit: int = 100
    corrected: int = 0
    closed: bool = False
    latest: date = date.min
    rates: dict[str, int] = field(default_factory=dict)


@dataclass
class Question:
    """What was held, on which day of each budget, and what became of it."""

    way: tuple[str, ...]
    amount: int
    factor: int
    days: dict[str, date]
    state: str = "held"
    refunded: set[str] = field(default_factory=set)


@dataclass
class Books:
    """A dataset in two parts, another one and an allocation, at a moment."""

    now: datetime
    limits: dict[str, Limit] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)
    questions: dict[uuid.UUID, Question] = field(default_factory=dict)

    def sums(self, name: str, *states: str) -> int:
        """What questions in these states took of a budget."""
        return sum(
            q.amount * q.factor
            for q in self.questions.values()
            if name in q.way and q.state in states
        )

    def spent(self, name: str) -> int:
        refunds = sum(q.amount * q.factor for q in self.questions.values() if name in q.refunded)
        return self.sums(name, "settled") + self.limits[name].corrected - refunds

    def committed(self, name: str) -> int:
        return self.spent(name) + self.sums(name, "held")

    def day(self, name: str) -> date:
        """The latest day that this budget has seen: clocks may be set back."""
        return max(self.now.date(), self.limits[name].latest)

    def taken(self, name: str, period: str) -> int:
        """What was reserved and not given back in the present window."""
        start = window_start(period, self.day(name))
        return sum(
            q.amount * q.factor
            for q in self.questions.values()
            if name in q.way and q.state in ("held", "settled") and q.days[name] >= start
        )

    def stands(self, name: str) -> bool:
        parent = "divided" if name in PARTS else name
        return not self.limits[name].closed and parent not in self.frozen

    def admits(self, name: str, amount: int) -> bool:
        limit = self.limits[name]
        return (
            self.stands(name)
            and self.committed(name) + amount <= limit.limit
            and all(self.taken(name, p) + amount <= most for p, most in limit.rates.items())
        )
