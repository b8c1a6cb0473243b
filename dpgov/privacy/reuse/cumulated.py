"""Counts of ranges out of a stored cumulative distribution: free, with intervals of their own.

Rows between two edges are one cumulative count less another. What noise the difference has follows
from the weights that both are made with: where they share sums, noise goes away. Rectangles of two
columns are made of four counts of their joint distribution in the same way. The same for any other
bins that the stored ones make up, and for groups put together.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpgov.privacy.mechanisms.cumulative import Cumulative, statements_of_weights
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.reuse.estimates import Cells, Columns, StoredAnswer, head

# Weights of all asked cells together: more would take seconds.
_MOST_WEIGHTS = 2_000_000


@dataclass(frozen=True, eq=False)
class Ranged:
    """A count of rows, made of the noisy sums of a cumulative distribution."""

    stored: StoredAnswer
    statistic: Statistic
    place: int
    mechanism: Cumulative

    @property
    def key(self) -> str:
        """Of the stored answer."""
        return self.stored.key

    @property
    def deviation(self) -> float:
        """Of the noise in the worst cell."""
        variance = self.mechanism.taken.noise.variance
        return float(np.sqrt(variance * (self._weights**2).sum(axis=1).max()))

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """The widest of all bounds; the number of rows does not matter."""
        widest = int(np.argmax((self._weights**2).sum(axis=1)))
        return [(head(self.statistic), self._statements[widest])]

    def columns(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], Cells]]:
        """Rounded to whole rows, out of the stored body."""
        noisy = np.array(body["draws"][self.place]["cells"], dtype=np.float64)
        values = np.rint(self._weights @ noisy.ravel()).astype(np.int64).tolist()
        pairs = zip(values, self._statements, strict=True)
        return [(head(self.statistic), [{"value": v, "accuracy": a} for v, a in pairs])]

    @cached_property
    def _weights(self) -> Floats:
        """For each asked cell what it takes of each sum of each stored group."""
        strategy, union = self.mechanism.strategy, self.stored.union
        asked = np.arange(len(union.sizes))[:, None]
        parts = union.targets.reshape(-1, strategy.bins)
        chosen = ((part[None, :] == asked).astype(np.float64) for part in parts)
        found: Floats = np.hstack([strategy.adding(one) for one in chosen])
        return found

    @cached_property
    def _statements(self) -> list[list[dict[str, Any]]]:
        return statements_of_weights(self._weights, self.mechanism.taken.noise)


def ranged(
    stored: StoredAnswer, statistic: Statistic, place: int, mechanism: Cumulative
) -> Ranged | None:
    """The estimate; None where it would take too long, which is public."""
    groups = len(stored.union.targets) // mechanism.strategy.bins
    weights = len(stored.union.sizes) * groups * mechanism.strategy.width
    return Ranged(stored, statistic, place, mechanism) if weights <= _MOST_WEIGHTS else None
