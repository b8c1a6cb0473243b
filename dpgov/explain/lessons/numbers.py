"""The formulas behind the lessons, exact or in 50 digits. Tests compare each with its definition.

Nothing here is drawn and nothing looks at data.
"""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, wraps
from typing import ParamSpec

_DIGITS = 50
_SMALL = Decimal("1e-60")

Rational = Fraction | Decimal | float | int | str
_P = ParamSpec("_P")


def _precisely(formula: Callable[_P, Decimal]) -> Callable[_P, Decimal]:
    """Compute with 50 digits, whatever the caller computes with."""

    @wraps(formula)
    def computed(*args: _P.args, **kwargs: _P.kwargs) -> Decimal:
        with localcontext() as context:
            context.prec = _DIGITS
            return formula(*args, **kwargs)

    return computed


@_precisely
def exactly(number: Rational) -> Decimal:
    """Any number in 50 digits."""
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / Decimal(number.denominator)
    return +Decimal(number)


@_precisely
def exponential(power: Rational) -> Decimal:
    """e to the power."""
    return exactly(power).exp()


@_precisely
def logarithm(number: Rational) -> Decimal:
    """The natural logarithm."""
    return exactly(number).ln()


@_precisely
def root(number: Rational) -> Decimal:
    """The square root."""
    return exactly(number).sqrt()


@_precisely
def laplace_density(at: Rational, centre: Rational, scale: Rational) -> Decimal:
    """e^(-|x - c| / b) / (2b)."""
    wide = exactly(scale)
    return exponential(-abs(exactly(at) - exactly(centre)) / wide) / (2 * wide)


@_precisely
def laplace_deviation(scale: Rational) -> Decimal:
    """The standard deviation of Laplace noise: sqrt(2) times its scale."""
    return root(2) * exactly(scale)


@_precisely
def truth_share(epsilon: Rational) -> Decimal:
    """How often randomised response of this ε tells the truth: e^ε / (1 + e^ε)."""
    grown = exponential(epsilon)
    return grown / (1 + grown)


@_precisely
def response_epsilon(truth: Fraction) -> Decimal:
    """ε of telling the truth about a bit with this probability: ln(p / (1 - p))."""
    return logarithm(truth / (1 - truth))


@_precisely
def response_deviation(truth: Rational, people: int) -> Decimal:
    """The deviation of the estimated number of yes: sqrt(n p (1 - p)) / (2p - 1)."""
    p = exactly(truth)
    return root(people * p * (1 - p)) / (2 * p - 1)


@_precisely
def shuffled(epsilon: Rational, people: int, delta: Rational) -> Decimal:
    """ε at δ of all reports together, if each has this ε and somebody trusted mixes them.

    Theorem 3.1 of Feldman, McMillan and Talwar (2021), for ε up to ln(n/(16 ln(2/δ))):
    ln(1 + (e^ε - 1)/(e^ε + 1) (8 sqrt(e^ε ln(4/δ)/n) + 8 e^ε/n)).
    """
    grown = exponential(epsilon)
    spread = 8 * root(grown * logarithm(4 / exactly(delta)) / people) + 8 * grown / people
    return logarithm(1 + (grown - 1) / (grown + 1) * spread)


@_precisely
def joint_error(parties: int, colluders: int) -> Decimal:
    """The error of one masked total over that of one trusted place: sqrt(n/(n - t))."""
    return root(Fraction(parties, parties - colluders))


@_precisely
def separate_error(parties: int) -> Decimal:
    """The same of so many separate answers, added up: sqrt(n)."""
    return root(parties)


@_precisely
def descent_left(away: Rational, pace: Fraction, steps: int) -> Decimal:
    """How far a walk that takes this share of the way at each step is from its end."""
    return exactly(away) * exactly((1 - pace) ** steps)


@_precisely
def descent_noise(pace: Fraction, steps: int) -> Decimal:
    """What the noise of all steps leaves, in deviations of one draw at the price of all.

    A step's noise has `steps` times the variance and moves by the share a of it; each later step
    takes that share back: the sum of T a² (1 - a)^(2t) for t < T.
    """
    kept = (1 - pace) ** (2 * steps)
    return root(steps * pace * (1 - kept) / (2 - pace))


@_precisely
def descent_error(away: Rational, pace: Fraction, steps: int) -> Decimal:
    """The root of the mean square of both together."""
    return root(descent_left(away, pace, steps) ** 2 + descent_noise(pace, steps) ** 2)


@_precisely
def any_of(chance: Rational, times: int) -> Decimal:
    """The chance that something happens at least once in so many independent tries."""
    return 1 - (1 - exactly(chance)) ** times


@lru_cache(maxsize=256)
def loss_tail(databases: int, epsilon: Fraction, more_than: Fraction) -> Decimal:
    """ln of the chance that the summed loss of so many answers, ε each, exceeds `more_than`.

    Of the worst mechanism, randomised response: each loss is +ε with probability p = e^ε/(1 + e^ε)
    and -ε otherwise, so that the sum is (2H - k) ε for a binomial H. The largest term of the tail
    is a product of whole numbers and powers of e; each further one is the one before times
    (k - h)/(h + 1) e^ε, until nothing of 50 digits can change. Minus infinity where it cannot be.
    """
    # The least H with (2H - k) ε > L, in whole numbers.
    least = max(0, (databases + math.floor(more_than / epsilon)) // 2 + 1)
    if least > databases:
        return Decimal("-Infinity")
    with localcontext() as context:
        context.prec = _DIGITS + 20
        power = exactly(epsilon)
        grown = power.exp()
        first = (+Decimal(math.comb(databases, least))).ln()
        first += least * power - databases * (1 + grown).ln()
        return first + _later_terms(databases, least, grown).ln()


def _later_terms(databases: int, least: int, grown: Decimal) -> Decimal:
    """The tail over its first term."""
    term = total = Decimal(1)
    for heads in range(least, databases):
        term *= Decimal(databases - heads) / (heads + 1) * grown
        total += term
        if term < _SMALL * total:
            break
    return total


@_precisely
def hoeffding(databases: int, epsilon: Fraction, more_than: Fraction) -> Decimal:
    """ln of Hoeffding's bound on the same chance: -(L - kε tanh(ε/2))² / (2kε²), 0 below the mean.

    Each loss lies in an interval of 2ε and has the mean ε (e^ε - 1)/(e^ε + 1).
    """
    grown = exponential(epsilon)
    mean = databases * exactly(epsilon) * (grown - 1) / (grown + 1)
    above = exactly(more_than) - mean
    return -above * above / (2 * databases * exactly(epsilon) ** 2) if above > 0 else Decimal(0)


@_precisely
def advanced_of_2010(databases: int, epsilon: Rational, log_delta: Rational) -> Decimal:
    """sqrt(2k ln(1/δ)) ε + kε (e^ε - 1): Dwork, Rothblum and Vadhan 2010."""
    return _root_term(databases, epsilon, log_delta) + (
        databases * exactly(epsilon) * (exponential(epsilon) - 1)
    )


@_precisely
def advanced_of_2015(databases: int, epsilon: Rational, log_delta: Rational) -> Decimal:
    """The same with (e^ε - 1)/(e^ε + 1) in the second term: Kairouz, Oh and Viswanath 2015."""
    grown = exponential(epsilon)
    return _root_term(databases, epsilon, log_delta) + (
        databases * exactly(epsilon) * (grown - 1) / (grown + 1)
    )


@_precisely
def _root_term(databases: int, epsilon: Rational, log_delta: Rational) -> Decimal:
    return root(2 * databases * -exactly(log_delta)) * exactly(epsilon)


@_precisely
def pure_as_rho(answers: int, epsilon: Rational) -> Decimal:
    """ρ of so many answers of pure ε: kε tanh(ε/2), which randomised response attains."""
    grown = exponential(epsilon)
    return answers * exactly(epsilon) * (grown - 1) / (grown + 1)
