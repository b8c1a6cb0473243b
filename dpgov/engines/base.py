"""What every engine promises, wherever its data lives.

Must never put a number, a value or a path into an error: callers may show it to an analyst.
"""

from typing import Protocol

from dpgov.privacy.plan.request import ExactAnswer, ExactRequest

FAILURE = "The engine could not compute this."


class Engine(Protocol):
    """Computes exact integers over one dataset version."""

    def answer(self, request: ExactRequest) -> ExactAnswer:
        """One tuple of integers per cell, empty cells included; raises EngineFailure."""
        ...


class EngineFailure(Exception):
    """The exact answer could not be computed. Every failure reads the same, whatever the data."""

    def __init__(self) -> None:
        super().__init__(FAILURE)


class DataNotOpened(EngineFailure):
    """The data could not be opened: not a byte of it was read for this answer.

    Only for what is certain, such as a file that is gone or is no database. Whatever happens after
    the first statement against the data is an EngineFailure like any other.
    """
