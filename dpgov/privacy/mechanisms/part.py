"""One noisy integer per cell: what it adds up, how far a unit can move it, what noise it gets.

The only place that calls the sampler.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpgov.privacy import sampling
from dpgov.privacy.budget import as_number
from dpgov.privacy.decimals import decimals_of, json_number
from dpgov.privacy.request import Measure

MECHANISM = "discrete Laplace"


@dataclass(frozen=True, slots=True)
class NoisyPart:
    """An integer combination of measures, in lattice units of size `unit`.

    `sensitivity` is the L1 bound over all cells; `share` the fixed part of the statistic's ε that
    this part spends, and `nano` that amount, rounded down.
    """

    name: str
    weights: tuple[tuple[Measure, int], ...]
    sensitivity: int
    unit: Fraction
    share: Fraction
    nano: int

    @property
    def scale(self) -> float:
        """The noise scale in lattice units."""
        return sampling.noise_scale(self.sensitivity, self.nano)

    @property
    def smallest_statistic_nano(self) -> int:
        """The smallest ε of the whole statistic at which this part can be drawn."""
        needed = sampling.smallest_nano(self.sensitivity) / self.share
        return -(-needed.numerator // needed.denominator)

    def exact(self, measured: Mapping[Measure, int]) -> int:
        """The exact lattice integer of one cell; it must never leave the worker."""
        return sum(weight * measured[measure] for measure, weight in self.weights)

    def draw(self, exact: Sequence[int]) -> list[int]:
        """One vector of noisy lattice integers, a cell each, for the price of `nano`."""
        return sampling.add_laplace(exact, sensitivity=self.sensitivity, nano=self.nano)

    def in_units(self, lattice: int) -> int | float:
        """A lattice integer as the number that it stands for."""
        return json_number(lattice * self.unit, decimals_of(self.unit))

    def describe(self) -> dict[str, Any]:
        """The public facts about this part, in units."""
        return {
            "name": self.name,
            "epsilon": as_number(self.nano),
            "sensitivity": self.in_units(self.sensitivity),
            "noise_scale": float(Fraction(self.scale) * self.unit),
            "lattice": self.in_units(1),
        }


def part_nano(nano: int, share: Fraction) -> int:
    """A part's ε, rounded down: the parts together never cost more than the statistic."""
    return nano * share.numerator // share.denominator
