"""The only source of randomness in the product: OpenDP's exact samplers on integers.

Must never draw from anything else, never take a seed, and never scale noise by a float division:
`sensitivity / epsilon` in floats overshoots the booked ε by an ulp in most cases. The scale is
searched upwards until OpenDP's own privacy map, as a fraction, is at most what was booked.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import lru_cache

import numpy as np
from opendp.domains import atom_domain, bitvector_domain, vector_domain
from opendp.measurements import (
    make_gaussian,
    make_laplace,
    make_noisy_max,
    make_randomized_response,
    make_randomized_response_bitvec,
    make_randomized_response_bool,
)
from opendp.measures import max_divergence, zero_concentrated_divergence
from opendp.metrics import discrete_distance, l1_distance, l2_distance, linf_distance
from opendp.mod import Measurement, enable_features

from dpgov.privacy.accounting.decimals import MAX_NANO, NANO, as_fraction
from dpgov.privacy.accounting.loss import Loss, Mode, rho_of
from dpgov.privacy.noise import tied
from dpgov.privacy.noise.noise import Noise, NoiseKind, NoiseOutOfRange
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.schema import LARGEST_SUM

# Noise of this scale passes 2**63, where draws would saturate, with probability below e**-32000.
LARGEST_SCALE = 2**48
_CALIBRATIONS_KEPT = 512
# So many numbers are given their noise in one call, and so many calls are made at once.
_PIECE = 2**14
_AT_ONCE = 2
# See `highest`. Of a price p, with r = 2 sensitivity / scale <= 90 and factors within 1 ± 2^-91:
# pure ε pays 2 · 2^-91, and ρ, which is r²/8 for a log ratio that ranges over r, r · 2^-91.
_MOST_SCORES = 2**20
_REACH = 100
_SPARED = Fraction(1, 2**80)

enable_features("contrib")
# True of itself, but for one in 2^32.
_MOSTLY = make_randomized_response_bool(1 - 2**-32)


def smallest_nano(sensitivity: int, mode: Mode = Mode.PURE) -> int:
    """The smallest amount at which noise for this sensitivity stays in range."""
    epsilon = max(1, -(-sensitivity * NANO // LARGEST_SCALE))
    return epsilon if mode is Mode.PURE else rho_of(epsilon)


def laplace(sensitivity: int, nano: int) -> tuple[Noise, Measurement]:
    """Discrete Laplace noise that `nano`-ε pays for under this L1 sensitivity.

    Raises NoiseOutOfRange.
    """
    _check_range(sensitivity, nano)
    return _laplace(sensitivity, nano)


def gaussian(sensitivity_squared: int, nano: int) -> tuple[Noise, Measurement]:
    """Discrete Gaussian noise that `nano`-ρ pays for under this squared L2 sensitivity.

    Raises NoiseOutOfRange.
    """
    if type(sensitivity_squared) is not int or not 1 <= sensitivity_squared <= LARGEST_SUM**2:
        raise NoiseOutOfRange("An influence must be an integer from 1 to 2**53.")
    if type(nano) is not int or not 1 <= nano <= MAX_NANO:
        raise NoiseOutOfRange(f"ρ must be from 1 to {MAX_NANO} nano.")
    if sensitivity_squared * NANO > 2 * nano * LARGEST_SCALE**2:
        raise NoiseOutOfRange("ρ is too small for this influence.")
    return _gaussian(sensitivity_squared, nano)


def add_noise(values: Sequence[int], measurement: Measurement) -> list[int]:
    """The values, each with its own independent noise. Raises NoiseOutOfRange, never another."""
    if any(type(value) is not int or abs(value) > LARGEST_SUM for value in values):
        raise NoiseOutOfRange("Exact values must be integers up to 2**53 in size.")
    return [int(value) for value in measurement(list(values))]


def add_noise_to_all(values: Counts, measurement: Measurement) -> Counts:
    """The same of an array, piece by piece and on two processors.

    Each number has noise of its own, so that what pieces are drawn in changes nothing of the law;
    their number and sizes are public, as the number of values is. OpenDP works outside of Python's
    lock, so that a worker's heartbeat goes on meanwhile.
    """
    if values.dtype != np.int64 or np.abs(values).max(initial=0) > LARGEST_SUM:
        raise NoiseOutOfRange("Exact values must be integers up to 2**53 in size.")
    pieces = [values[at : at + _PIECE] for at in range(0, len(values), _PIECE)]

    def noisy(piece: Counts) -> Counts:
        return np.array(measurement(piece.tolist()), dtype=np.int64)

    if len(pieces) < 2:
        return np.concatenate([np.zeros(0, np.int64), *map(noisy, pieces)])
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return np.concatenate(list(pool.map(noisy, pieces)))


def highest(scores: Sequence[int] | Counts, *, sensitivity: int, loss: Loss) -> int:
    """The place of a score that is nearly the highest: report noisy max.

    `sensitivity` bounds how far any one score moves between neighbouring tables. Exponential
    noise under pure ε (permute and flip), Gumbel noise under zCDP. Raises NoiseOutOfRange.

    Scores that are `_REACH` scales below the best take no part, which makes the choice fast, and
    once in 2^32 times any place is chosen, all alike. With this, P(place) is at least
    2^-32 / 2^20 everywhere and nowhere further than a factor 1 ± 2^-91 from the mixture of the
    whole report noisy max with such a uniform choice, which costs no more than the former: a
    score left out had e^-100 at most. `_SPARED` of each price pays for these factors, of all
    choices that share it too: they grow with the number of scores, of which cells and spans that
    share a price have no more together than one choice may have. Many candidates of few scores are
    chosen from by their groups (`tied`), each with its chance to within 2^-170: beside at least
    2^-52 of any place that is a factor within 1 ± 2^-100.
    """
    exact = _as_array(scores)
    scale, measurement = choice(sensitivity, loss)
    if not _MOSTLY(True):
        return int(measurement(np.zeros_like(exact)))
    near = np.flatnonzero(exact >= int(exact.max()) - math.floor(_REACH * scale))
    groups = tied.groups_of(exact.max() - exact[near], scale)
    if groups is None:
        return int(near[measurement(exact[near] - exact.max())])
    return int(near[_of_groups(groups, loss.mode)])


def _of_groups(groups: tied.Groups, mode: Mode) -> int:
    """The place that is chosen among candidates of few scores, all of one score alike."""
    if mode is Mode.ZCDP:
        group = tied.weighted(groups, _fair)
    else:
        upto = np.cumsum(tied.accepted(groups, _fair))
        group = int(np.searchsorted(upto, _uniform(int(upto[-1])), side="right"))
    members = groups.members(group)
    return int(members[_uniform(len(members))])


def _uniform(places: int) -> int:
    """One of so many places, all alike: report noisy max of equal scores."""
    return int(choice_of(1.0, Mode.PURE)(np.zeros(places, dtype=np.int64)))


def _fair(length: int) -> bytes:
    """Fair bits: randomised response that keeps nothing of what it is given."""
    made: bytes = _fair_bits(8 * length)(bytes(length))
    return made


def _as_array(scores: Sequence[int] | Counts) -> Counts:
    if isinstance(scores, np.ndarray):
        fits = scores.dtype == np.int64 and np.abs(scores).max() <= LARGEST_SUM
    else:
        fits = all(type(score) is int and abs(score) <= LARGEST_SUM for score in scores)
    if not fits or len(scores) > _MOST_SCORES:
        raise NoiseOutOfRange("Scores must be integers up to 2**53 in size.")
    return np.asarray(scores, dtype=np.int64)


def choice(sensitivity: int, loss: Loss) -> tuple[float, Measurement]:
    """The scale and the measurement of a noisy choice that `loss` pays for.

    P(the chosen score is t below the highest) <= n e^(-t/scale) for n scores.
    """
    if type(sensitivity) is not int or not 1 <= sensitivity <= LARGEST_SUM:
        raise NoiseOutOfRange("An influence must be an integer from 1 to 2**53.")
    enough = type(loss.nano) is int and smallest_nano(2 * sensitivity, loss.mode) <= loss.nano
    if not enough or loss.nano > MAX_NANO:
        raise NoiseOutOfRange("This amount is too small for this influence, or too large.")
    return _choice(sensitivity, loss)


def loss_of(measurement: Measurement, sensitivity: float) -> Fraction:
    """What OpenDP's own privacy map reports, as a fraction: no further rounding."""
    return Fraction(measurement.map(sensitivity))


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def _laplace(sensitivity: int, nano: int) -> tuple[Noise, Measurement]:
    """Built once per price; a measurement has no state, so copies in forked workers are safe."""
    start = float(Fraction(sensitivity) / as_fraction(nano))
    scale, measurement = _search(start, laplace_of, sensitivity, as_fraction(nano))
    return Noise(NoiseKind.LAPLACE, scale), measurement


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def _gaussian(sensitivity_squared: int, nano: int) -> tuple[Noise, Measurement]:
    reach = root_up(sensitivity_squared)
    start = reach / math.sqrt(2 * nano / NANO)
    scale, measurement = _search(start, gaussian_of, reach, as_fraction(nano))
    return Noise(NoiseKind.GAUSSIAN, scale), measurement


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def _choice(sensitivity: int, loss: Loss) -> tuple[float, Measurement]:
    spent = loss.nano / NANO
    ratio = spent if loss.mode is Mode.PURE else math.sqrt(8 * spent)

    def build(scale: float) -> Measurement:
        return choice_of(scale, loss.mode)

    spare = as_fraction(loss.nano) - _SPARED
    return _search(2 * sensitivity / ratio, build, sensitivity, spare)


def _search(
    scale: float, build: Callable[[float], Measurement], sensitivity: float, booked: Fraction
) -> tuple[float, Measurement]:
    """From `scale` upwards, the first double at which the map is at most what was booked."""
    while True:
        measurement = build(scale)
        if loss_of(measurement, sensitivity) <= booked:
            return scale, measurement
        scale = math.nextafter(scale, math.inf)


def root_up(square: int) -> float:
    """The smallest double found that is not below the square root."""
    root = math.sqrt(square)
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root


def laplace_of(scale: float) -> Measurement:
    """OpenDP's exact discrete Laplace over vectors of integers, under the L1 distance."""
    space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
    return make_laplace(*space, scale)


def gaussian_of(scale: float) -> Measurement:
    """OpenDP's exact discrete Gaussian over vectors of integers, under the L2 distance."""
    space = vector_domain(atom_domain(T="i64")), l2_distance(T="f64")
    return make_gaussian(*space, scale, MO="ZeroConcentratedDivergence")


def choice_of(scale: float, mode: Mode) -> Measurement:
    """OpenDP's report noisy max over vectors of integer scores, under the L∞ distance."""
    space = vector_domain(atom_domain(T="i64")), linf_distance(T="i64", monotonic=False)
    measure = max_divergence() if mode is Mode.PURE else zero_concentrated_divergence()
    return make_noisy_max(*space, measure, scale)


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def _fair_bits(bits: int) -> Measurement:
    """OpenDP's randomised response of many bits, at f = 1: each is turned over half of the time."""
    space = bitvector_domain(max_weight=bits), discrete_distance()
    return make_randomized_response_bitvec(*space, f=1.0)


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def place_response(places: int, kept: float) -> Measurement:
    """OpenDP's randomised response: the place itself with this probability, else any other one."""
    return make_randomized_response(categories=list(range(places)), prob=kept)


@lru_cache(maxsize=_CALIBRATIONS_KEPT)
def bit_response(kept: float) -> Measurement:
    """OpenDP's randomised response of a bit: itself with this probability, from one half on."""
    return make_randomized_response_bool(kept)


def _check_range(sensitivity: int, nano: int) -> None:
    if type(sensitivity) is not int or not 1 <= sensitivity <= LARGEST_SUM:
        raise NoiseOutOfRange("An influence must be an integer from 1 to 2**53.")
    if type(nano) is not int or not smallest_nano(sensitivity) <= nano <= MAX_NANO:
        raise NoiseOutOfRange(
            f"ε must be from {smallest_nano(sensitivity)} to {MAX_NANO} nano for this influence."
        )
