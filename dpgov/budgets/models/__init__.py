"""The ledger. Knows nothing of datasets or queries, only of ids and integer nano-units.

Every amount is an integer count of nano-ε (10⁻⁹ ε). Written by `budgets.services` alone.
"""

from dpgov.budgets.models.budget import Budget, BudgetAccess, RateLimit
from dpgov.budgets.models.entries import Charge, Correction, LimitChange, Reservation
from dpgov.budgets.models.mark import DatabaseMark, RestoreMark
from dpgov.budgets.models.sharing import (
    Allocation,
    PartitionLine,
    PopulationInvitation,
    PopulationMember,
)

__all__ = [
    "Allocation",
    "Budget",
    "BudgetAccess",
    "Charge",
    "Correction",
    "DatabaseMark",
    "LimitChange",
    "PartitionLine",
    "PopulationInvitation",
    "PopulationMember",
    "RateLimit",
    "Reservation",
    "RestoreMark",
]
