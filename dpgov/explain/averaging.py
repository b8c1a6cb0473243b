"""The averaging attack, replayed on invented numbers: ask the same again and again, take the mean.

An illustration. Its noise follows from a fixed text, so that everybody sees the same picture; it is
invented for this page and must never come near an answer.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from dpgov.explain.invented import wait
from dpgov.explain.promise import Promise
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.meaning.odds import Frequency, best_guess, frequency_of

TRUTH = 412
SEED = "an invented table of a thousand people"
_MOST = 2_000
_LEAST = 200


@dataclass(frozen=True, slots=True)
class AveragedTries:
    """After so many tries: the averages, what they cost and how often a guess is right.

    `with_budget` is the average of the answers that were given, `answered` their number.
    """

    asked: int
    without_budget: float
    guess_without: Frequency
    with_budget: float | None
    answered: int
    guess_with: Frequency

    @property
    def is_refused(self) -> bool:
        """Whether the budget has stopped it by now."""
        return self.answered < self.asked


@dataclass(frozen=True, slots=True)
class Replay:
    """The attack with questions of `epsilon_nano`: the budget answers `allowed` of them."""

    epsilon_nano: int
    allowed: int
    steps: tuple[AveragedTries, ...]

    @property
    def is_stopped(self) -> bool:
        """Whether the budget ends within what is shown."""
        return self.allowed < self.steps[-1].asked

    @property
    def last(self) -> AveragedTries:
        """At the end of what is shown."""
        return self.steps[-1]


def replay(promise: Promise, epsilon_nano: int) -> Replay:
    """Count the same people again and again, for ε each, with and without the promise's limit."""
    price = promise.currency.price_of(epsilon_nano)
    allowed = promise.limit_nano // price
    total = min(_MOST, max(_LEAST, 4 * allowed))
    scale = promise.schema.group_size * promise.schema.unit.max_rows_per_unit * NANO / epsilon_nano
    sums = _running_sums(scale, total)
    steps = []
    for asked in _ladder(total, allowed):
        answered = min(asked, allowed)
        steps.append(
            AveragedTries(
                asked=asked,
                without_budget=TRUTH + sums[asked] / asked,
                guess_without=frequency_of(best_guess(asked * price, promise.currency)),
                with_budget=TRUTH + sums[answered] / answered if answered else None,
                answered=answered,
                guess_with=frequency_of(best_guess(answered * price, promise.currency)),
            )
        )
    return Replay(epsilon_nano, allowed, tuple(steps))


def _ladder(total: int, allowed: int) -> list[int]:
    """1, 2, 3, ... in steps that grow, with the last question that is answered and its next."""
    places = {1, total}
    at = 1.0
    while at < total:
        places.add(int(at))
        at = max(at + 1, at * 1.15)
    places |= {place for place in (allowed, allowed + 1) if 1 <= place <= total}
    return sorted(places)


def _running_sums(scale: float, total: int) -> list[int]:
    sums = [0]
    for left, right in _waits()[:total]:
        sums.append(sums[-1] + math.floor(scale * left) - math.floor(scale * right))
    return sums


@lru_cache(maxsize=1)
def _waits() -> list[tuple[float, float]]:
    """Pairs of invented exponential waits: the difference of two is a Laplace number."""
    return [(wait(SEED, 2 * place), wait(SEED, 2 * place + 1)) for place in range(_MOST)]
