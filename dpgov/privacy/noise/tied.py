"""A noisy choice among many candidates of few different scores, made by groups of equal ones.

OpenDP looks at candidates one by one until one is accepted. Where one is far better than tens of
thousands of equal ones, that is all of them. Here the same law is drawn group by group:

* permute and flip (ε) accepts each candidate with e^(-gap/scale), for itself, and chooses one of
  those accepted, all alike (McKenna and Sheldon 2020). How many are accepted of n equal ones is
  binomial, and whichever of a group is chosen, all of it are alike;
* the exponential mechanism (ρ) chooses a group by n e^(-gap/scale), and all of it are alike.

All chance comes in, as fair bits and as uniform places, from OpenDP (`sampling`); none of it is
rounded before it is compared. What is computed is right to 80 digits and compared with 192 bits, so
that a group has its chance to within 2^-170, which `sampling.highest` reckons with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.plan.request import Counts

Fair = Callable[[int], bytes]
"""So many bytes, each bit of which is one or nought, both alike."""
_ALIKE = 32
_FEW_CANDIDATES = 1_024
_RARE = 64
_DIGITS = 80
_LEAD, _REST = 4, 20
_ONE = 1 << 8 * (_LEAD + _REST)


@dataclass(frozen=True, slots=True)
class Groups:
    """Candidates by how far each is below the best: the best first, and each one's group."""

    gaps: Counts
    counts: Counts
    group: NDArray[np.intp]
    scale: float

    def members(self, group: int) -> NDArray[np.intp]:
        """The places of a group's candidates."""
        return np.flatnonzero(self.group == group)

    def chances(self) -> NDArray[np.float64]:
        """That one of each group is accepted, nearly."""
        return np.exp(-self.gaps / self.scale)


def groups_of(gaps: Counts, scale: float) -> Groups | None:
    """Where they are few and an accepted candidate is rare; None where looking at each is quick.

    Both ways have one law, so that which of them is taken shows in the time alone, which no answer
    does.
    """
    if len(gaps) < _FEW_CANDIDATES or float(np.exp(-gaps / scale).sum()) > _RARE:
        return None
    levels, group, counts = np.unique(gaps, return_inverse=True, return_counts=True)
    if len(levels) * _ALIKE > len(gaps):
        return None
    return Groups(levels, counts.astype(np.int64), group, scale)


def accepted(of: Groups, fair: Fair) -> list[int]:
    """How many of each group permute and flip accepts: all of the best.

    Four bytes of each group's number mostly tell that it accepts none, as at least 1 - n chance of
    all numbers do.
    """
    lead = np.frombuffer(fair(_LEAD * len(of.gaps)), dtype=">u4").astype(np.float64)
    none = (lead + 1) / 2**32 < 1 - of.counts * of.chances() * 1.001
    found = np.zeros(len(of.gaps), dtype=np.int64)
    found[0] = of.counts[0]
    for group in np.flatnonzero(~none[1:]) + 1:
        number = (int(lead[group]) << 8 * _REST) + int.from_bytes(fair(_REST))
        found[group] = binomial(int(of.counts[group]), _chance(of, int(group)), number)
    return [int(count) for count in found]


def binomial(count: int, chance: Decimal, number: int) -> int:
    """How many of so many are accepted, by a number below 2^192: the inverse of the law."""
    with localcontext(prec=_DIGITS):
        wanted = Decimal(number) / _ONE
        odds, part, found = chance / (1 - chance), (1 - chance) ** count, 0
        upto = part
        while wanted >= upto and found < count:
            part *= odds * (count - found) / (found + 1)
            found += 1
            upto += part
    return found


def weights(of: Groups) -> list[int]:
    """Of each group in the exponential mechanism, in parts of 2^192."""
    with localcontext(prec=_DIGITS):
        each = [_chance(of, group) for group in range(len(of.gaps))]
        return [int(n * p * _ONE) for n, p in zip(of.counts.tolist(), each, strict=True)]


def weighted(of: Groups, fair: Fair) -> int:
    """The group that the exponential mechanism chooses."""
    upto = list(accumulate(weights(of)))
    number = int.from_bytes(fair(_LEAD + _REST)) * upto[-1] >> 8 * (_LEAD + _REST)
    return next(group for group, most in enumerate(upto) if number < most)


def _chance(of: Groups, group: int) -> Decimal:
    with localcontext(prec=_DIGITS):
        return (-Decimal(int(of.gaps[group])) / Decimal(of.scale)).exp()
