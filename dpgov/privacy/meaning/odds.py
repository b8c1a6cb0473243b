"""How far a well-informed attacker's guess can move: what an amount of privacy loss means.

The attacker knows everything but one thing about one person (or protected group), weighs two
possibilities by what they knew before, and sees the answers. Everything here is an upper bound on
what they gain, rounded so that it is never more optimistic than the truth.

Pure ε: the odds of the two possibilities change by a factor of e^ε at most (Dwork and Roth 2014,
section 2.3; Kasiviswanathan and Smith 2014). ρ-zCDP: by e^(ρ + 2√(ρ ln(1/δ))) at most, but for a
probability of δ (Bun and Steinke 2016, lemma 3.5: the tail of the privacy loss). The ε of (ε, δ)
itself would be too optimistic here: it bounds events, not each single answer.

Who guesses between two equally likely possibilities is right with a probability of at most
e^ε / (1 + e^ε) (Wasserman and Zhou 2010, theorem 2.4; Kairouz, Oh and Viswanath 2015). Under ρ the
same holds, without any δ, for the ε whose price is ρ. With P and Q the answers' distributions and
t = max P(A) - Q(A), the event A keeps its part of KL(P, Q) + KL(Q, P) <= 2ρ, which is least for
P(A) = 1 - Q(A) = (1 + t)/2: so t ln((1 + t)/(1 - t)) <= ρ. For t = tanh(ε/2) the left side is
ε tanh(ε/2), and randomised response attains it.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import Currency, epsilon_paid_by

_DIGITS = 60
# Far above what 60 digits can have lost, far below what is shown.
_MARGIN = Decimal("1e-40")
_SHOWN = Decimal("1e-12")
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Belief:
    """What a belief of `before` can become: at least `low`, at most `high`, all between 0 and 1."""

    before: Decimal
    low: Decimal
    high: Decimal


@dataclass(frozen=True, slots=True)
class Frequency:
    """A probability as "`count` of `of`", rounded up; `of` alone where it is as good as certain."""

    count: int
    of: int

    @property
    def is_certain(self) -> bool:
        """Whether nothing is promised any more."""
        return self.count == self.of


def together_of(nano: int, *, units: int, setting: int, currency: Currency) -> int:
    """The amount that any `units` units together have, when `setting` of them have `nano`.

    kε, and k²ρ; of a group-size setting g the noise is made for g, so that k units have k/g of the
    ε, and of the ρ (k/g)² where they are more and k/g where they are fewer: Laplace noise may have
    been the better one, whose ρ = ε tanh(ε/2) falls more slowly than ε². Rounded up.
    """
    if min(units, setting) < 1 or nano < 0:
        raise ValueError("A group has at least one unit, and an amount is not below zero.")
    if currency.delta is None or units < setting:
        return -(-nano * units // setting)
    return -(-nano * units**2 // setting**2)


def log_odds(nano: int, currency: Currency) -> Decimal:
    """By how much the logarithm of the odds can change, rounded up; under ρ but for δ."""
    _check(nano)
    amount = Decimal(nano).scaleb(-9)
    if currency.delta is None:
        return amount
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        return amount + 2 * (amount * (-currency.delta.ln() + _MARGIN)).sqrt() + _MARGIN


def belief_after(before: Decimal, nano: int, currency: Currency) -> Belief:
    """The bounds on a belief after everything that `nano` was spent on.

    Raises ValueError for a belief that is not strictly between 0 and 1.
    """
    if not 0 < before < 1:
        raise ValueError("A belief lies between 0 and 1.")
    shrink = _shrink(log_odds(nano, currency))
    if nano == 0:
        return Belief(before, before, before)
    with localcontext() as context:
        context.prec = _DIGITS
        high = before / (before + (1 - before) * shrink)
        low = before * shrink / (before * shrink + (1 - before))
    return Belief(before, _down(low), _up(high))


def best_guess(nano: int, currency: Currency) -> Decimal:
    """The share of right guesses between two equally likely possibilities, at most; rounded up."""
    _check(nano)
    if nano == 0:
        return Decimal("0.5")
    epsilon = nano if currency.delta is None else min(MAX_NANO, epsilon_paid_by(nano) + 1)
    with localcontext() as context:
        context.prec = _DIGITS
        share = 1 / (1 + _shrink(Decimal(epsilon).scaleb(-9)))
    return _up(share)


def frequency_of(share: Decimal) -> Frequency:
    """In whole hundreds where that says enough, else in more, up to a million."""
    if not 0 <= share <= 1:
        raise ValueError("A share lies between 0 and 1.")
    of = 100
    while True:
        count = int((share * of).to_integral_value(rounding=ROUND_CEILING))
        if (0 < count < of or share == 0) or of == _MOST:
            return Frequency(count, of)
        of *= 10


def _shrink(log: Decimal) -> Decimal:
    """e^-log, rounded down: a smaller one is the worse."""
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_FLOOR
        return max(Decimal(0), (-log).exp() * (1 - _MARGIN))


def _up(share: Decimal) -> Decimal:
    return min(Decimal(1), (share + _MARGIN).quantize(_SHOWN, rounding=ROUND_CEILING))


def _down(share: Decimal) -> Decimal:
    return max(Decimal(0), (share - _MARGIN).quantize(_SHOWN, rounding=ROUND_FLOOR))


def _check(nano: int) -> None:
    if type(nano) is not int or nano < 0:
        raise ValueError("An amount is a whole number of nano-units, not below zero.")
