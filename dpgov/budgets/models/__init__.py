"""The ledger. Knows nothing of datasets or queries, only of ids and integer nano-units.

Every amount is an integer count of billionths in the currency of its budget (`currency`): ε when
pure, ρ under zCDP. Written by `budgets.services` alone.
"""

from dpgov.budgets.models.budget import Budget, BudgetAccess, RateLimit
from dpgov.budgets.models.entries import Charge, Correction, LimitChange, Reservation
from dpgov.budgets.models.mark import DatabaseMark, FreezeMark, RestoreMark, RestoreSeen
from dpgov.budgets.models.sharing import (
    Allocation,
    BudgetPart,
    DerivedBudget,
    SharedBudgetInvitation,
    SharedBudgetMember,
)

__all__ = [
    "Allocation",
    "Budget",
    "BudgetAccess",
    "BudgetPart",
    "Charge",
    "Correction",
    "DatabaseMark",
    "DerivedBudget",
    "FreezeMark",
    "LimitChange",
    "RateLimit",
    "Reservation",
    "RestoreMark",
    "RestoreSeen",
    "SharedBudgetInvitation",
    "SharedBudgetMember",
]
