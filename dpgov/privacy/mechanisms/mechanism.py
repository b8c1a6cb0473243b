"""What every mechanism offers: noisy integer parts and what is made of them afterwards."""

from collections.abc import Sequence
from typing import Any, Protocol

from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.plan import Statistic

NoisyCell = tuple[int, ...]
"""The noisy lattice integers of one cell, one per part."""

Statements = list[dict[str, Any]]
"""Accuracy statements at the three confidence levels."""


class Mechanism(Protocol):
    """One statistic of a plan, ready to be drawn. Everything but `parts` is post-processing."""

    @property
    def statistic(self) -> Statistic:
        """What was asked."""

    @property
    def nano(self) -> int:
        """The statistic's ε."""

    @property
    def parts(self) -> tuple[NoisyPart, ...]:
        """What is drawn; their ε add up to at most `nano`."""

    def value(self, noisy: NoisyCell) -> int | float:
        """The released number of one cell."""

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """How wrong each cell's number may be."""

    def expected_accuracy(self, rows_in_a_cell: int | None) -> Statements:
        """The same before asking; empty when it cannot be said without a number of rows."""
