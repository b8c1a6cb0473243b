"""The promises that a ledger step can refuse to break; each refusal changes nothing."""

from uuid import UUID

from dpgov.budgets.words import DATASET, amount
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.privacy.accounting.loss import PURE, Currency


class LedgerRefusal(SpokenRefusal):
    """Base of all refusals of the ledger."""


class NotAdmitted(LedgerRefusal):
    """A question cannot be charged to one of the budgets that it touches; `str` is for people."""


class AmountOutOfRange(LedgerRefusal):
    """An amount must be a positive integer within range; anything else is a bug."""

    def __init__(self, value: object) -> None:
        super().__init__(f"{value!r:.80} is not a bookable amount")


class InsufficientBudget(NotAdmitted):
    """The amount does not fit under a limit any more; `limit` says which one, in words."""

    def __init__(
        self,
        *,
        requested_nano: int,
        remaining_nano: int,
        limit: str = DATASET,
        currency: Currency = PURE,
    ) -> None:
        self.requested_nano = requested_nano
        self.remaining_nano = remaining_nano
        self.limit = limit
        super().__init__(
            said(
                "This needs {needed}, but only {left} remains of {limit}.",
                needed=amount(requested_nano, currency),
                left=amount(remaining_nano, currency),
                limit=limit,
            )
        )


class BudgetFrozen(NotAdmitted):
    """After a restore nothing is admitted until an officer has confirmed the balances."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This dataset is frozen until a compliance officer confirms its balance. "
                "Nothing was charged."
            )
        )


class BudgetClosed(NotAdmitted):
    """The budget was ended, such as an allocation that was withdrawn."""

    def __init__(self, limit: str) -> None:
        super().__init__(said("{limit} has ended. Nothing was charged.", limit=limit))

    def __str__(self) -> str:
        text = super().__str__()
        return text[:1].upper() + text[1:]


class BudgetsMoved(NotAdmitted):
    """The dataset began to share another budget while the question was being accepted."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "Another person just changed which budgets this dataset shares. Nothing was "
                "charged. Ask again."
            )
        )


class ForeignBudget(LedgerRefusal):
    """A budget that is not there, or that this tenant's queries may not charge; a bug."""

    def __init__(self, query_id: UUID) -> None:
        super().__init__(f"query {query_id} may not charge one of its budgets")


class AlreadyReserved(LedgerRefusal):
    """This query already has its reservation; an id is used once."""

    def __init__(self, query_id: UUID) -> None:
        super().__init__(f"query {query_id} already holds or held a reservation")


class NothingHeld(LedgerRefusal):
    """There is no held reservation: never made, or settled, voided or expired before."""

    def __init__(self, query_id: UUID) -> None:
        super().__init__(f"query {query_id} holds no reservation")


class AmountMismatch(LedgerRefusal):
    """What is to be booked is not what was reserved."""

    def __init__(self, *, booked_nano: int, held_nano: int) -> None:
        super().__init__(f"asked to book {booked_nano} where {held_nano} are held")


class LimitBelowCommitted(LedgerRefusal):
    """A limit cannot go below what is already spent or reserved."""

    def __init__(self, *, limit_nano: int, committed_nano: int, currency: Currency = PURE) -> None:
        self.limit_nano = limit_nano
        self.committed_nano = committed_nano
        super().__init__(
            said(
                "{committed} is already spent or reserved, so the limit cannot be {limit}.",
                committed=amount(committed_nano, currency),
                limit=amount(limit_nano, currency),
            )
        )


class AlreadyCorrected(LedgerRefusal):
    """This query's charge was given back before; once is all there is."""

    def __init__(self, query_id: UUID | None) -> None:
        super().__init__(f"query {query_id} was refunded before")


class RaisingTakesTwo(LedgerRefusal):
    """A limit is raised by two persons, never by one."""

    def __init__(self) -> None:
        super().__init__(
            said("Raising a limit takes two persons: request it, and a compliance officer decides.")
        )


class NotRaised(LedgerRefusal):
    """What was requested as a raise is not above the present limit."""

    def __init__(self, *, limit: str) -> None:
        super().__init__(said("The limit is {limit} now. Give a higher one.", limit=limit))


class SharedLimit(LedgerRefusal):
    """Another organisation agreed to share this budget under this limit."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "Another organisation shares this budget and agreed to its limit, so the limit "
                "cannot be raised. Open another shared budget and agree on that one."
            )
        )


class NothingCharged(LedgerRefusal):
    """There is no charge of this query that could be given back."""

    def __init__(self, query_id: UUID) -> None:
        super().__init__(f"query {query_id} was never charged")
