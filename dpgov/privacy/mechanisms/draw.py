"""One vector of noisy integers for each cell: what they add up, how far a unit moves them, and
the noise that this buys. The only place that adds noise to numbers.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from opendp.mod import Measurement

from dpgov.privacy.accounting.decimals import decimals_of, json_number
from dpgov.privacy.accounting.loss import Loss, Mode, epsilon_paid_by
from dpgov.privacy.mechanisms.table import Counted, Measured
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import Noise
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.plan.request import Counts, Measure
from dpgov.privacy.plan.schema import LARGEST_SUM

NoisyCell = tuple[int, ...]
"""The noisy lattice integers of one cell, one per reading."""
_WORD = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Reading:
    """An integer combination of measures, in lattice units of size `unit`."""

    name: str
    weights: tuple[tuple[Measure, int], ...]
    unit: Fraction

    def exact(self, measured: Measured) -> int:
        """The exact lattice integer of one cell; it must never leave the worker.

        Cut at 2^53 in size, which only a live table with more rows than were declared can pass:
        cutting brings no two tables further apart, and nothing fails by a row too many.
        """
        whole = sum(weight * measured[measure] for measure, weight in self.weights)
        return max(-LARGEST_SUM, min(whole, LARGEST_SUM))

    def exact_of(self, table: Counted) -> Counts:
        """The same of all cells at once, in machine words.

        Where one could be too small, which `check_capacity` rules out of all files, in integers of
        any size.
        """
        counted = [(table.of(measure), weight) for measure, weight in self.weights]
        most = _WORD // max(1, len(counted))
        if any(abs(w) * int(np.abs(one).max(initial=0)) > most for one, w in counted):
            return np.array([self.exact(cell) for cell in table], dtype=np.int64)
        found = np.zeros(len(table), dtype=np.int64)
        for one, weight in counted:
            found += weight * one
        return np.clip(found, -LARGEST_SUM, LARGEST_SUM)


@dataclass(frozen=True, slots=True)
class Draw:
    """Readings that share one noise. `reach` bounds the whole vector over all cells."""

    readings: tuple[Reading, ...]
    reach: Sensitivity
    loss: Loss

    @property
    def noise(self) -> Noise:
        """The noise that every reading of every cell gets."""
        return calibrated(self.reach, self.loss)[0]

    @property
    def smallest_nano(self) -> int:
        """The smallest amount at which it can be drawn."""
        return sampling.smallest_nano(self.reach.l1, self.loss.mode)

    def run(self, table: Sequence[Measured]) -> list[NoisyCell]:
        """Noisy integers for every cell, for the price of `loss`. Fresh noise each time."""
        if isinstance(table, Counted):
            return [tuple(cell) for cell in self.run_whole(table).tolist()]
        exact = [reading.exact(cell) for cell in table for reading in self.readings]
        noisy = self.add_noise(exact)
        width = len(self.readings)
        return [tuple(noisy[at : at + width]) for at in range(0, len(noisy), width)]

    def run_whole(self, table: Counted) -> Counts:
        """The same of a table that is an array: a row for each cell, a column for each reading."""
        exact = np.column_stack([reading.exact_of(table) for reading in self.readings])
        measurement = calibrated(self.reach, self.loss)[1]
        return sampling.add_noise_to_all(exact.ravel(), measurement).reshape(exact.shape)

    def add_noise(self, exact: Sequence[int]) -> list[int]:
        """The exact integers of all cells, each with its own noise."""
        return sampling.add_noise(exact, calibrated(self.reach, self.loss)[1])

    def describe(self) -> dict[str, Any]:
        """The public facts about this draw; scale and sensitivity in lattice units."""
        noise = self.noise
        return self.loss.as_json() | {
            "mechanism": noise.kind.value,
            "noise_scale": noise.scale,
            "sensitivity_l1": self.reach.l1,
            "sensitivity_l2": json_number(Fraction(sampling.root_up(self.reach.l2_squared)), 6),
            "readings": [
                {"name": reading.name, "lattice": in_units(1, reading.unit)}
                for reading in self.readings
            ],
        }


def in_units(lattice: int, unit: Fraction) -> int | float:
    """A lattice integer as the number that it stands for."""
    return json_number(lattice * unit, min(12, decimals_of(unit)))


@lru_cache(maxsize=512)
def calibrated(reach: Sensitivity, loss: Loss) -> tuple[Noise, Measurement]:
    """The noise that this amount buys: under zCDP the one with the smaller variance.

    A function of public parameters alone. Raises NoiseOutOfRange.
    """
    if loss.mode is Mode.PURE:
        return sampling.laplace(reach.l1, loss.nano)
    bought = [sampling.gaussian(reach.l2_squared, loss.nano)]
    epsilon = epsilon_paid_by(loss.nano)
    if epsilon >= sampling.smallest_nano(reach.l1):
        bought.append(sampling.laplace(reach.l1, epsilon))
    return min(bought, key=lambda noise: noise[0].variance)


def price_of_same_error(now: Sensitivity, then: Sensitivity, nano: int) -> int:
    """The least nano-ρ that buys `then`, which is no larger, no more error than `nano` buys `now`.

    Raises NoiseOutOfRange.
    """
    most = calibrated(now, Loss(Mode.ZCDP, nano))[0].variance
    least = sampling.smallest_nano(then.l1, Mode.ZCDP)

    def is_enough(price: int) -> bool:
        return calibrated(then, Loss(Mode.ZCDP, price))[0].variance <= most

    return least + bisect_left(range(least, nano), True, key=is_enough)
