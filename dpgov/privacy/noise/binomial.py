"""Between which probabilities the true one lies, from how often something happened: exactly.

Clopper and Pearson, The use of confidence or fiducial limits, 1934: no normal approximation decides
anything, and the cost does not grow with the number of trials.
"""

import math

_HALVINGS = 60
_TINY = 1e-300


def at_least(hits: int, trials: int, alpha: float) -> float:
    """A probability that the true one falls below with probability at most `alpha`."""
    if hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        seldom = _beta(middle, hits, trials - hits + 1) <= alpha
        low, high = (middle, high) if seldom else (low, middle)
    return low


def at_most(hits: int, trials: int, alpha: float) -> float:
    """A probability that the true one exceeds with probability at most `alpha`."""
    return 1 - at_least(trials - hits, trials, alpha)


def _beta(x: float, a: int, b: int) -> float:
    """P(at least a of a + b - 1 trials succeed) at probability x.

    By its continued fraction (Lentz), on the side where that converges quickly.
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log += a * math.log(max(x, _TINY)) + b * math.log1p(-x)
    return math.exp(log) * _fraction(x, a, b) / a


def _fraction(x: float, a: int, b: int) -> float:
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    whole = d
    for m in range(1, 2000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            whole *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return whole


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
