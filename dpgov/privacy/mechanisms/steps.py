"""What a descent draws, in how many steps, and what part of its price each draw gets.

A function of public parameters alone: fixed before any data is opened.
"""

from dataclasses import dataclass

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.design import Design
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.sigmoid import (
    Lattice,
    of_curve,
    of_halves,
    of_outcomes,
    of_weighted,
    weighted,
)
from dpgov.privacy.noise.sensitivity import Exposure, reach
from dpgov.privacy.plan.request import Factor

# Points before the last step, and what each draw gets of the price. Of the schemes that were tried
# (docs/adr/0032) these had the least error over prices, numbers of rows and of predictors.
STEPS = 3
_WHOLE = 200
_MOMENTS, _OUTCOMES, _STEP, _LAST, _WEIGHTED = 16, 64, 15, 60, 30


@dataclass(frozen=True, slots=True)
class Draws:
    """Everything that is drawn, each as it is the first time."""

    moments: Draw
    outcomes: Draw
    step: Draw
    last: Draw
    weighted: Draw

    @property
    def shares(self) -> tuple[tuple[Draw, int], ...]:
        """Each with its part of the price, out of `_WHOLE`."""
        return (
            (self.moments, _MOMENTS),
            (self.outcomes, _OUTCOMES),
            (self.step, _STEP),
            (self.last, _LAST),
            (self.weighted, _WEIGHTED),
        )

    @property
    def in_order(self) -> list[tuple[str, Draw]]:
        """All draws by name, as their numbers follow each other."""
        on_the_way = [(f"step {step}", self.step) for step in range(1, STEPS)]
        return [
            ("moments", self.moments),
            ("outcomes", self.outcomes),
            *on_the_way,
            (f"step {STEPS}", self.last),
            ("weighted moments", self.weighted),
        ]

    @property
    def smallest_nano(self) -> int:
        """The smallest whole price at which each draw's part is enough for it."""
        return max(-(-draw.smallest_nano * _WHOLE // share) for draw, share in self.shares)


def draws_for(
    design: Design, lattice: Lattice, outcome: Factor, exposed: Exposure, loss: Loss
) -> Draws:
    """All of them for this price."""
    half = reach(of_halves(design, lattice), exposed)
    on_curve = of_curve(design, lattice)
    steep = reach(of_weighted(design, lattice), exposed)
    return Draws(
        moments=Draw(design.readings, design.reach(exposed), loss.part(_MOMENTS, _WHOLE)),
        outcomes=Draw(of_outcomes(design, outcome, lattice), half, loss.part(_OUTCOMES, _WHOLE)),
        step=Draw(on_curve, half, loss.part(_STEP, _WHOLE)),
        last=Draw(on_curve, half, loss.part(_LAST, _WHOLE)),
        weighted=Draw(weighted(design, lattice), steep, loss.part(_WEIGHTED, _WHOLE)),
    )
