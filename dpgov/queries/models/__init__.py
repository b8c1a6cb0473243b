"""Rows of questions, answers, sums and the workbench."""

from dpgov.queries.models.questions import DayTally, Query, Refusal, Release, Tally
from dpgov.queries.models.ready_made import ReadyMade
from dpgov.queries.models.workbench import BudgetRequest, SavedQuestion
from dpgov.queries.models.workers import Sweeper, Worker

__all__ = [
    "BudgetRequest",
    "DayTally",
    "Query",
    "ReadyMade",
    "Refusal",
    "Release",
    "SavedQuestion",
    "Sweeper",
    "Tally",
    "Worker",
]
