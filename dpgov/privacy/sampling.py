"""The only source of randomness in the product: OpenDP's discrete Laplace on integers.

Must never draw from anything else, never take a seed, and never scale noise by a float division:
`sensitivity / epsilon` in floats overshoots the booked ε by an ulp in most cases.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_laplace
from opendp.metrics import l1_distance
from opendp.mod import Measurement, enable_features

from dpgov.privacy.budget import MAX_NANO, NANO, as_fraction
from dpgov.privacy.schema import LARGEST_SUM

# Noise of this scale passes 2**63, where draws would saturate, with probability below e**-32000.
LARGEST_SCALE = 2**48
_CALIBRATIONS_KEPT = 512

enable_features("contrib")


class NoiseOutOfRange(ValueError):
    """Noise this large, or for an influence this large, cannot be drawn exactly."""


def smallest_nano(sensitivity: int) -> int:
    """The smallest ε, in nano-ε, at which noise for this sensitivity stays in range."""
    return max(1, -(-sensitivity * NANO // LARGEST_SCALE))


def noise_scale(sensitivity: int, nano: int) -> float:
    """The scale, in lattice units, at which `nano` pays for an influence of `sensitivity`.

    The smallest double found, from sensitivity/ε upwards, at which OpenDP's own privacy map is
    at most the booked ε, compared as fractions. Raises NoiseOutOfRange.
    """
    return calibrated(sensitivity, nano)[0]


def add_laplace(values: Sequence[int], *, sensitivity: int, nano: int) -> list[int]:
    """The values, each with its own independent discrete Laplace noise.

    `sensitivity` bounds the L1 distance between the whole vectors of two neighbouring tables.
    Raises NoiseOutOfRange for values or noise outside the exact range, OpenDPException never.
    """
    if any(type(value) is not int or abs(value) > LARGEST_SUM for value in values):
        raise NoiseOutOfRange("Exact values must be integers up to 2**53 in size.")
    noisy = calibrated(sensitivity, nano)[1](list(values))
    return [int(value) for value in noisy]


def calibrated(sensitivity: int, nano: int) -> tuple[float, Measurement]:
    """The scale and the measurement that `nano` pays for. Raises NoiseOutOfRange."""
    _check_range(sensitivity, nano)
    return _search(sensitivity, nano)


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def _search(sensitivity: int, nano: int) -> tuple[float, Measurement]:
    """Built once per price; a measurement has no state, so copies in forked workers are safe."""
    booked = as_fraction(nano)
    scale = float(Fraction(sensitivity) / booked)
    while True:
        measurement = laplace_of(scale)
        if loss_of(measurement, sensitivity) <= booked:
            return scale, measurement
        scale = math.nextafter(scale, math.inf)


def loss_of(measurement: Measurement, sensitivity: int) -> Fraction:
    """The ε that OpenDP's own privacy map reports, as a fraction: no further rounding."""
    return Fraction(measurement.map(sensitivity))  # type: ignore[no-untyped-call]


def _check_range(sensitivity: int, nano: int) -> None:
    if type(sensitivity) is not int or not 1 <= sensitivity <= LARGEST_SUM:
        raise NoiseOutOfRange("An influence must be an integer from 1 to 2**53.")
    if type(nano) is not int or not smallest_nano(sensitivity) <= nano <= MAX_NANO:
        raise NoiseOutOfRange(
            f"ε must be from {smallest_nano(sensitivity)} to {MAX_NANO} nano for this influence."
        )


def laplace_of(scale: float) -> Measurement:
    """OpenDP's exact discrete Laplace over vectors of integers, under the L1 distance."""
    space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
    return make_laplace(*space, scale)
