"""How much noise each party adds so that the honest ones alone add enough.

Of n parties t may collude: they know their own noise and take it away. So the noise of the other
n - t has to be the whole of it: each adds a discrete Gaussian of variance σ²/(n - t), and the total
carries n/(n - t) of what one trusted party would have added.

A sum of discrete Gaussians is not one itself, but nearly. Adding N of them, each of parameter s²,
to an answer of d numbers with influence Δ in L2 has the Rényi divergence of order α at most
α Δ²/(2 N s²) + τ d, with τ = 10 Σ_{k=1}^{N-1} e^(-2π² s² k/(k+1)), for s ≥ 1/2 (Kairouz, Liu and
Steinke, The Distributed Discrete Gaussian Mechanism for Federated Learning with Secure Aggregation,
2021, proposition 14), so that it is ρ-zCDP for ρ = Δ²/(2 N s²) + τ d. Computed in fractions, τ
rounded up. N = n - t: the noise of honest parties alone counts.

What could leak: a bound that counts noise which colluders know, or that takes the sum for a
discrete Gaussian where s is small (catalogue M40, `unit/privacy/joint`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import nextafter, sqrt

from dpgov.language.said import Said, said
from dpgov.privacy.accounting.decimals import MAX_NANO, as_fraction
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import Noise, NoiseKind, NoiseOutOfRange
from dpgov.privacy.plan.schema import LARGEST_SUM

FEWEST_PARTIES, MOST_PARTIES = 3, 20
MODULUS = 2**64
# Noise passes so many scales with probability below e^-500, and a share's scale 2^48 never does.
_REACH = 2**5
_LEAST_SCALE = 1.0
_NEARBY, _FURTHER = 8, 1.0005
_DIGITS = 60
# A little below π: e^(-x) with a smaller x is larger.
_PI_BELOW = Decimal("3.141592653589793238462643383279502884197")
_MARGIN = Decimal("1e-50")


class NotJoint(ValueError):
    """So many parties, or so many colluders, get no joint answer; `args[0]` says why.

    `field` names what would have to be another one, where that is a single thing.
    """

    def __init__(self, sentence: Said, field: str = "") -> None:
        self.field = field
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Shares:
    """The noise of every party: a discrete Gaussian of σ `scale` on each of `cells` numbers."""

    parties: int
    colluders: int
    cells: int
    scale: float

    def bound(self, l2_squared: int) -> Fraction:
        """The ρ that the total costs a party whose rows move it by this, against t colluders."""
        return loss_of_sum(l2_squared, self.scale, self.parties - self.colluders, self.cells)

    @property
    def total(self) -> Noise:
        """What everybody's noise adds up to, to within e^±τ a number: σ² is n times a share's."""
        return Noise(NoiseKind.GAUSSIAN, sqrt(self.parties) * self.scale)

    def add_noise(self, exact: Sequence[int]) -> list[int]:
        """One party's integers with its share of the noise; fresh each time."""
        if len(exact) != self.cells:
            raise ValueError("one integer for each cell")
        return sampling.add_noise(exact, sampling.gaussian_of(self.scale))


def check_parties(parties: int, colluders: int) -> None:
    """Raises NotJoint unless a joint answer gains something over answers one by one."""
    if not FEWEST_PARTIES <= parties <= MOST_PARTIES:
        raise NotJoint(
            said(
                "A joint answer takes {fewest} to {most} organisations. Of two, each one could "
                "take its own share away from the total and would see the other's answer, so that "
                "two separate answers do the same.",
                fewest=FEWEST_PARTIES,
                most=MOST_PARTIES,
            ),
            "parties",
        )
    if not 1 <= colluders <= parties - 2:
        raise NotJoint(
            said(
                "Of {parties} organisations, at least 1 and at most {most} may put their heads "
                "together. If all but one did, that one's noise would have to be the whole of it, "
                "which is a separate answer of each.",
                parties=parties,
                most=parties - 2,
            ),
            "colluders",
        )


@lru_cache(maxsize=256)
def shares_for(*, parties: int, colluders: int, cells: int, l2_squared: int, nano: int) -> Shares:
    """The least shares that `nano`-ρ pays for against so many colluders.

    Raises NotJoint for parties that gain nothing, and NoiseOutOfRange.
    """
    check_parties(parties, colluders)
    if type(l2_squared) is not int or not 1 <= l2_squared <= LARGEST_SUM**2 or cells < 1:
        raise NoiseOutOfRange("An influence must be an integer from 1 to 2**53.")
    if type(nano) is not int or not 1 <= nano <= MAX_NANO:
        raise NoiseOutOfRange(f"ρ must be from 1 to {MAX_NANO} nano.")
    booked, honest = as_fraction(nano), parties - colluders
    start = sampling.root_up(l2_squared) / sqrt(2 * float(booked) * honest)
    scale, steps = max(_LEAST_SCALE, start), 0
    while loss_of_sum(l2_squared, scale, honest, cells) > booked:
        steps += 1
        scale = nextafter(scale, 2 * scale) if steps < _NEARBY else scale * _FURTHER
    if scale > sampling.LARGEST_SCALE:
        raise NoiseOutOfRange("ρ is too small for this influence.")
    return Shares(parties, colluders, cells, scale)


def loss_of_sum(l2_squared: int, scale: float, summed: int, cells: int) -> Fraction:
    """ρ of adding so many discrete Gaussians of this σ to so many numbers; never too little."""
    variance = Fraction(scale) ** 2
    return Fraction(l2_squared) / (2 * summed * variance) + cells * _tau(scale, summed)


@lru_cache(maxsize=1024)
def _tau(scale: float, summed: int) -> Fraction:
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        square = Decimal(scale) ** 2 * (1 - _MARGIN)
        parts = [
            (-(2 * _PI_BELOW**2 * square * k / (k + 1) * (1 - _MARGIN))).exp() + _MARGIN**4
            for k in range(1, summed)
        ]
        return Fraction(10 * sum(parts, Decimal(0)) * (1 + _MARGIN))


def stays_in_range(parties: int, scale: float) -> bool:
    """Whether no total can pass 2^63, whatever is in the tables: from public numbers alone."""
    return parties * (LARGEST_SUM + _REACH * int(scale + 1)) < MODULUS // 2
