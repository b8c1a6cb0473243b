"""What a step is about, as values that both databases are given."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from uuid import UUID

from dpgov.budgets.errors import AmountOutOfRange
from dpgov.budgets.models import Correction, Reservation
from dpgov.budgets.words import noted
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import Currency

# What a line is that is charged because a dataset was derived from another one.
PARENT = "parent"
# So many characters of JSON; together with everything else less than a log keeps whole.
LONGEST_NAMED = 300_000


@dataclass(frozen=True, slots=True)
class Line:
    """One budget that a query touches, and how much of it, in its currency.

    `factor` is how many times the query's cost that is (2 for a part under change_one); `what`
    says for the log what the budget is. `of_parent`: it is one of a dataset that the one which is
    asked was derived from, whole, a part or an allocation.
    """

    budget_id: UUID
    amount_nano: int
    factor: int = 1
    what: str = ""
    of_parent: bool = False

    def as_json(self, currency: Currency) -> dict[str, object]:
        """The line as the log has it; all lines of a query have one currency."""
        named: dict[str, object] = {"what": self.what} if self.what else {}
        return {
            **named,
            "budget": str(self.budget_id),
            **noted(self.amount_nano, currency),
            "factor": self.factor,
        }


def noted_lines(lines: Sequence[Line], currency: Currency) -> list[dict[str, object]]:
    """The lines of one query as the log has them.

    What each budget is, is left out where that takes too much room, as with a thousand parts of
    long names: the amounts stand in the log whatever the parts are called.
    """
    found = [line.as_json(currency) for line in lines]
    if len(json.dumps(found)) <= LONGEST_NAMED:
        return found
    return [replace(line, what="").as_json(currency) for line in lines]


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a database says to a step: done, or refused by a code, with the budget and numbers.

    `lines` are those that the step ended.
    """

    refusal: str | None = None
    budget_id: UUID | None = None
    available_nano: int | None = None
    period: str | None = None
    lines: tuple[Line, ...] = ()


DONE = StepOutcome()


class Steps(Protocol):
    """What a database must be able to do: `one_statement` and `portable` both can."""

    def reserve(
        self, query_id: UUID, tenant_id: UUID, lines: Sequence[Line], moment: datetime | None
    ) -> StepOutcome:
        """Hold all lines or none."""

    def settle(self, query_id: UUID, amount_nano: int) -> StepOutcome:
        """Book every hold of the query."""

    def extend(self, query_id: UUID, amount_nano: int) -> StepOutcome:
        """Hold more on every line of the query, or on none."""

    def give_back(self, query_id: UUID, state: Reservation.State) -> StepOutcome:
        """End every hold of the query without booking it."""

    def correct(self, correction: Correction) -> StepOutcome:
        """Book a correction."""


def checked(lines: Sequence[Line]) -> list[Line]:
    """The lines in the one order in which budgets are taken; raises AmountOutOfRange."""
    for line in lines:
        bookable(line.amount_nano)
        if type(line.factor) is not int or line.factor < 1 or line.amount_nano % line.factor:
            raise AmountOutOfRange(line.factor)
    return sorted(lines, key=lambda line: line.budget_id.bytes)


def bookable(value: object) -> int:
    """A bookable amount; raises AmountOutOfRange for anything that is no positive integer."""
    if type(value) is not int or not 0 < value <= MAX_NANO:
        raise AmountOutOfRange(value)
    return value
