"""M31, M32: what is released of a whole descent, against what was paid for it.

What could leak, and to whom: whoever knows all rows but one can compute from the released points
what each draw would have been with and without it, and so how much each release tells of it. Under
pure ε that is never more than ε; under zCDP it is ρ on average at most. Both are computed for whole
releases, along the way that each of them took, with the noise that its draws say they have; and
that noise is measured against what was really added.
"""

from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms.descent import Point
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from tests.reference import Row
from tests.statistical.evidence import Z
from tests.unit.privacy.mechanisms.test_logistic import moved, prepared
from tests.unit.privacy.mechanisms.test_logistic_errors import added, counted, table_of

RELEASES = 120
ROWS = table_of(300)
# A row at its bounds that is surely misjudged where doses go with the outcome.
ONE_MORE: Row = (0, 2, 2, 0)


def drawn_along(mechanism: Logistic, points: list[Point]) -> list[tuple[Draw, Point]]:
    """Every draw of a release with the point at which it was made."""
    draws, start = mechanism.draws, (0,) * len(points[0])
    *way, last = points
    return [
        (draws.moments, start),
        (draws.outcomes, start),
        *((draws.step, point) for point in way),
        (draws.last, last),
        (draws.weighted, last),
    ]


def log_density(noise: Noise, off: Floats) -> Floats:
    """Up to a constant."""
    if noise.kind is NoiseKind.LAPLACE:
        return np.asarray(-abs(off) / noise.scale, dtype=np.float64)
    return np.asarray(-(off**2) / (2 * noise.scale**2), dtype=np.float64)


def told(mode: Mode) -> tuple[Any, list[float], Floats]:
    """The price, what each release tells of one more row, and all noises in deviations."""
    blueprint, mechanism = prepared("dose", "kind", epsilon=1, mode=mode)
    exact = counted(ROWS)

    def engine(request: ExactRequest) -> ExactAnswer:
        return added(exact, request)

    losses, noises = [], []
    for _ in range(RELEASES):
        body = draw(blueprint, [engine(request) for request in blueprint.requests], engine)
        (drawn,) = body["draws"]
        left, loss = drawn["cells"][0], 0.0
        for one, point in drawn_along(mechanism, [tuple(p) for p in drawn["points"]]):
            numbers, left = left[: len(one.readings)], left[len(one.readings) :]
            sums = np.zeros(len(numbers))
            for row, times in exact.items():
                sums += times * np.array(moved(blueprint, one, point, row), dtype=np.float64)
            off = np.array(numbers, dtype=np.float64) - sums
            step = np.array(moved(blueprint, one, point, ONE_MORE), dtype=np.float64)
            known = one.noise
            loss += float((log_density(known, off) - log_density(known, off - step)).sum())
            noises.append(off / np.sqrt(known.variance))
        assert left == []
        losses.append(loss)
    return blueprint.loss, losses, np.concatenate(noises)


@pytest.mark.parametrize("mode", list(Mode))
def test_no_release_tells_more_of_a_row_than_was_paid_for(mode: Mode) -> None:
    """M31, M32: along each released way, all draws together; a false alarm is one in a million."""
    price, losses, noises = told(mode)
    paid = price.nano / 10**9
    if mode is Mode.PURE:
        assert max(map(abs, losses)) <= paid
        # The same test would see three times as much: what is told is no small part of the price.
        assert max(map(abs, losses)) > paid / 4
    else:
        spread = float(np.std(losses)) / np.sqrt(RELEASES)
        assert np.mean(losses) - Z * spread <= paid
        assert np.mean(losses) + Z * spread > paid / 8
    # Deviations of so many noises, of which Laplace's have a kurtosis of 6.
    wide = Z * np.sqrt((5 if mode is Mode.PURE else 2) / len(noises))
    assert abs(float(np.mean(noises**2)) - 1) < wide
