"""Tables that are chosen by what they would tell: in each round one is chosen noisily, then drawn.

Multiplicative weights choose so (Hardt, Ligett and McSherry, A simple and practical algorithm for
differentially private data release, 2012), and AIM (McKenna, Mullins, Sheldon and Miklau, 2022),
whose penalty for large tables is taken: a table is worth choosing by how far it is from what is
known, less what its own noise would add. What is known is a model of the tables drawn so far, which
is anybody's computation on released numbers and comes in from outside.

The score of a table is |exact - guess|₁ less a public number, over integers. Whoever joins or
leaves moves the exact counts by at most `reach.l1` in L1, and so, by the triangle inequality, every
score by at most that, whatever the guess. Rounds, candidates and prices are fixed beforehand; of
what is chosen from nothing but the place of the best score leaves, and of what is not chosen
nothing.

What could leak: scores, or the counts of a table that was not chosen; a model that is shown exact
counts; a guess that makes a score fail for some rows and not for others. What could overspend: more
rounds than were paid for, or parts that are rounded up (catalogue M11, `unit/privacy/mechanisms`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.plan.schema import LARGEST_SUM

# Of the price: what AIM takes for choosing, and what the textbook's multiplicative weights take.
CHOOSING, TEXTBOOK = Fraction(1, 10), Fraction(1, 2)
LARGEST_GUESS = 2**38
# Distances beyond this are as good as it, and so are penalties: every score is one that can be
# compared, whatever the rows. Held so, a distance moves no further than it did.
_FARTHEST = LARGEST_SUM // 2
Counts = Sequence[int]


@dataclass(frozen=True, slots=True)
class Round:
    """What one round releases: the place of the chosen table, and its noisy counts."""

    place: int
    counts: tuple[int, ...]


Model = Callable[[Sequence[Round]], Sequence[Counts]]
"""Guesses of the counts of every candidate, out of what the rounds so far released."""


class BadGuess(ValueError):
    """A model that cannot tell, or guesses no whole numbers, or not of every candidate: public."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """So many rounds over candidates with `cells` counts each, for `loss` altogether.

    `reach` bounds how far one protected group moves any one candidate. `choosing` is the part of
    the price that pays for choices. `penalised` takes off what the noise of a table would add.
    """

    cells: tuple[int, ...]
    reach: Sensitivity
    loss: Loss
    rounds: int
    choosing: Fraction = CHOOSING
    penalised: bool = True

    def __post_init__(self) -> None:
        if self.rounds < 1 or not self.cells or not 0 < self.choosing < 1:
            raise ValueError("rounds, candidates and a part for choosing are needed")

    @property
    def of_a_choice(self) -> Loss:
        """What each choice costs, rounded down."""
        return self._part(self.choosing)

    @property
    def of_a_draw(self) -> Loss:
        """What each drawn table costs, rounded down: all rounds together never exceed `loss`."""
        return self._part(1 - self.choosing)

    @property
    def noise(self) -> Noise:
        """Of each count of a chosen table."""
        return calibrated(self.reach, self.of_a_draw)[0]

    @property
    def smallest_nano(self) -> int:
        """The smallest amount at which every round can choose and draw."""
        mode = self.loss.mode
        choice = sampling.smallest_nano(2 * self.reach.l1, mode) * self.rounds / self.choosing
        draw = sampling.smallest_nano(self.reach.l1, mode) * self.rounds / (1 - self.choosing)
        return math.ceil(max(choice, draw))

    def run(self, exact: Sequence[Counts], model: Model) -> tuple[Round, ...]:
        """All rounds; `exact` are the true counts of each candidate, which must never leave.

        A model that fails on what was released ends the rounds: what was drawn is the answer.
        Raises BadGuess for one that fails before the first, and NoiseOutOfRange below
        `smallest_nano`, for public reasons alone.
        """
        if tuple(map(len, exact)) != self.cells:
            raise ValueError("counts of other tables than the candidates")
        measurement = calibrated(self.reach, self.of_a_draw)[1]
        found: list[Round] = []
        for _ in range(self.rounds):
            try:
                guesses = self._checked(model(tuple(found)))
            except BadGuess:
                if not found:
                    raise
                break
            scores = self._scores(exact, guesses)
            place = sampling.highest(scores, sensitivity=self.reach.l1, loss=self.of_a_choice)
            # Cut as a `Reading` is: nothing fails by a row too many.
            counts = [min(count, LARGEST_SUM) for count in exact[place]]
            noisy = sampling.add_noise(counts, measurement)
            found.append(Round(place, tuple(noisy)))
        return tuple(found)

    def _scores(self, exact: Sequence[Counts], guesses: Sequence[Counts]) -> list[int]:
        return [
            min(_FARTHEST, _distance(counts, guessed)) - self._penalty(len(counts))
            for counts, guessed in zip(exact, guesses, strict=True)
        ]

    def _checked(self, guesses: Sequence[Counts]) -> Sequence[Counts]:
        if tuple(map(len, guesses)) != self.cells:
            raise BadGuess("guesses of other tables than the candidates")
        for guessed in guesses:
            if any(type(guess) is not int or abs(guess) > LARGEST_GUESS for guess in guessed):
                raise BadGuess("a guess that is no whole number of rows")
        return guesses

    def _penalty(self, cells: int) -> int:
        """How far noise moves a table of so many counts on average, in L1: public."""
        if not self.penalised:
            return 0
        noise = self.noise
        of_one = math.sqrt(noise.variance * 2 / math.pi)
        if noise.kind is NoiseKind.LAPLACE:
            of_one = math.sqrt(noise.variance / 2)
        return min(_FARTHEST, round(cells * of_one))

    def _part(self, of_all: Fraction) -> Loss:
        part = of_all / self.rounds
        return self.loss.part(part.numerator, part.denominator)


def _distance(counts: Counts, guessed: Counts) -> int:
    return sum(abs(count - guess) for count, guess in zip(counts, guessed, strict=True))
