"""The steps of the ledger, and its only writer.

Assume that every step runs concurrently with itself. All budgets of a query are locked in the
order of their ids, checked, and only then written, with a CHECK constraint behind; so queries
that share budgets queue up and never deadlock. Each function joins the caller's transaction: it
all happens, or none of it.
"""

from dpgov.budgets.services.allocations import (
    AllocationEnded,
    AllocationNotMore,
    NotAHolder,
    OwnAllocation,
    allocate,
    withdraw,
)
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.freezing import confirm_budget, freeze_tenant
from dpgov.budgets.services.limits import change_limit, close_budget, set_rate_limit
from dpgov.budgets.services.line import Line, noted_lines
from dpgov.budgets.services.opening import (
    add_parts,
    budget_declared,
    derive_budget,
    give_up_parts,
    is_undivided,
    open_budget,
    open_parts,
)
from dpgov.budgets.services.steps import (
    expire,
    extend,
    reserve,
    settle,
    take,
    take_all,
    void,
)

__all__ = [
    "AllocationEnded",
    "AllocationNotMore",
    "Line",
    "NotAHolder",
    "OwnAllocation",
    "add_parts",
    "allocate",
    "budget_declared",
    "change_limit",
    "close_budget",
    "confirm_budget",
    "correct",
    "derive_budget",
    "expire",
    "extend",
    "freeze_tenant",
    "give_up_parts",
    "is_undivided",
    "noted_lines",
    "open_budget",
    "open_parts",
    "reserve",
    "set_rate_limit",
    "settle",
    "take",
    "take_all",
    "void",
    "withdraw",
]
