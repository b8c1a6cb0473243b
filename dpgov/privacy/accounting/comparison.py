"""What the same questions would add up to by other accounts. For comparison, never for admission.

Four ways with their formulas, and a fifth by whole distributions of privacy loss, as Google's
dp-accounting computes it: that library is a group of its own (`compare`) and is imported when
somebody looks. Only plain sums of ε, and of ρ, stay true when amounts are chosen after seeing
answers; the others hold for amounts that were fixed beforehand, and are no rule for stopping.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode, epsilon_at, rho_of

# A little over what rounding of floats can have lost; figures for reading, rounded up.
_MARGIN = 1 + 1e-9
_SHARES = (0.01, 0.1, 0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class EqualCharges:
    """`count` questions that cost `nano` each, in the currency of `mode`."""

    mode: Mode
    nano: int
    count: int

    @property
    def rho_nano(self) -> int:
        """What one of them costs as ρ."""
        return self.nano if self.mode is Mode.ZCDP else rho_of(self.nano)


def basic(asked: Sequence[EqualCharges], delta: Decimal) -> float:
    """Sum of ε; under ρ each question is read at an equal share of δ.

    Dwork, Kenthapadi, McSherry, Mironov and Naor, Our Data, Ourselves, 2006, theorem 1.
    """
    if all(one.mode is Mode.PURE for one in asked):
        return sum(one.nano * one.count for one in asked) / NANO
    return sum(epsilon * count for epsilon, count in _at_shares(asked, delta)) * _MARGIN


def advanced(asked: Sequence[EqualCharges], delta: Decimal) -> float:
    """Σ ε tanh(ε/2) + √(2 ln(1/δ') Σ ε²), and never more than the plain sum.

    Kairouz, Oh and Viswanath, The Composition Theorem for Differential Privacy, 2015, theorem 3.5.
    Under ρ some of δ goes to the questions; the best of a few shares.
    """
    if not asked:
        return 0.0
    if all(one.mode is Mode.PURE for one in asked):
        return min(basic(asked, delta), _advanced(_at_shares(asked, delta), delta))
    shares = [(delta * Decimal(share), delta * Decimal(1 - share)) for share in _SHARES]
    best = min(_advanced(_at_shares(asked, own), rest) for own, rest in shares)
    return min(basic(asked, delta), best)


def zcdp(asked: Sequence[EqualCharges], delta: Decimal) -> float:
    """Sum of ρ, read at δ: Bun and Steinke 2016; Canonne, Kamath and Steinke 2020."""
    return epsilon_at(sum(one.rho_nano * one.count for one in asked), delta) / NANO


def renyi(asked: Sequence[EqualCharges], delta: Decimal) -> float:
    """Rényi divergences add up at each order; the best order is read at δ.

    Pure ε has at most the divergence of randomised response, ρ that of a Gaussian. Mironov 2017,
    propositions 1, 3 and 5; the conversion as in Canonne, Kamath and Steinke 2020, section 3.
    """
    if not asked:
        return 0.0
    wanted = -float(delta.ln())

    def epsilon_of(logarithm: float) -> float:
        above = math.exp(logarithm)
        order = above + 1
        total = sum(one.count * _divergence(one, order) for one in asked)
        return total + (wanted - math.log(order) + above * (logarithm - math.log(order))) / above

    return max(0.0, min(_least(epsilon_of), basic(asked, delta))) * _MARGIN


def _divergence(one: EqualCharges, order: float) -> float:
    amount = one.nano / NANO
    if one.mode is Mode.ZCDP:
        return order * amount
    # ln((e^(aε) + e^((1-a)ε)) / (1 + e^ε)) / (a - 1), without overflow.
    shrink = math.log1p(math.exp(-(2 * order - 1) * amount)) - math.log1p(math.exp(-amount))
    return min(amount, amount + shrink / (order - 1))


def _at_shares(asked: Sequence[EqualCharges], delta: Decimal) -> list[tuple[float, int]]:
    """(ε, count) of every group; ρ at δ over the number of its questions."""
    noisy = sum(one.count for one in asked if one.mode is Mode.ZCDP)
    return [
        (
            (one.nano if one.mode is Mode.PURE else epsilon_at(one.nano, delta / noisy)) / NANO,
            one.count,
        )
        for one in asked
    ]


def _advanced(groups: Iterable[tuple[float, int]], delta: Decimal) -> float:
    listed = list(groups)
    drift = sum(count * epsilon * math.tanh(epsilon / 2) for epsilon, count in listed)
    squares = sum(count * epsilon**2 for epsilon, count in listed)
    return (drift + math.sqrt(2 * -float(delta.ln()) * squares)) * _MARGIN


def _least(bound: Callable[[float], float]) -> float:
    """The least of a function of ln(a - 1) on a fine grid, and between its neighbours."""
    low, high = -12.0, 25.0
    for _ in range(4):
        points = [low + (high - low) * step / 40 for step in range(41)]
        best = min(points, key=bound)
        width = (high - low) / 40
        low, high = best - width, best + width
    return bound(best)


_MOST_POINTS = 200_000
_FINEST = 1e-4


def by_distribution(asked: Sequence[EqualCharges], delta: Decimal) -> float:
    """ε of everything together at δ, rounded up.

    Pure ε counts as randomised response, which no ε-DP mechanism exceeds; ρ as Gaussian noise of
    that ρ. Koskela, Jälkö and Honkela 2020; Doroshenko and others 2022.
    """
    # Loads SciPy and more, which no other process of ours needs.
    from dp_accounting.pld import privacy_loss_distribution as library

    if not asked:
        return 0.0
    bound = renyi(asked, delta)
    pure = [one for one in asked if one.mode is Mode.PURE]
    step = _step(pure, bound)
    parts = [_response(library, nano, step).self_compose(count) for nano, count in _on(pure, step)]
    rho = sum(one.nano * one.count for one in asked if one.mode is Mode.ZCDP) / NANO
    if rho:
        # Gaussian noises add up to one Gaussian noise, exactly.
        deviation = 1 / math.sqrt(2 * rho)
        parts.append(
            library.from_gaussian_mechanism(deviation, value_discretization_interval=step / NANO)
        )
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.compose(part)
    # Rounding on the grid may have cost more than the Rényi bound, which the true figure keeps.
    return min(bound, float(whole.get_epsilon_for_delta(float(delta))))


def _step(pure: Sequence[EqualCharges], bound: float) -> int:
    """The grid of losses, in nano-ε: all amounts lie on it, unless it had too many points then."""
    coarsest = max(int(_FINEST * NANO), int(3 * bound * NANO) // _MOST_POINTS)
    return max(math.gcd(*(one.nano for one in pure)), coarsest) if pure else coarsest


def _on(pure: Sequence[EqualCharges], step: int) -> list[tuple[int, int]]:
    """The amounts in steps, rounded up, and how many there are of each."""
    counts: dict[int, int] = {}
    for one in pure:
        places = -(-one.nano // step)
        counts[places] = counts.get(places, 0) + one.count
    return sorted(counts.items())


def _response(library: Any, places: int, step: int) -> Any:
    """Randomised response whose loss is a whole number of steps, so that none is rounded."""
    truth = 1 / (1 + math.exp(-places * step / NANO))
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        {places: truth, -places: 1 - truth}, 0.0, step / NANO
    )
