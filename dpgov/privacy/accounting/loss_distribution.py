"""The account by whole distributions of privacy loss, as Google's dp-accounting computes it.

For comparison only: it is no rule for stopping when amounts are chosen after seeing answers. The
library is a group of its own (`compare`) and is imported when somebody looks.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dpgov.privacy.accounting.budget import NANO
from dpgov.privacy.accounting.comparison import Asked, renyi
from dpgov.privacy.accounting.loss import Mode

INSTALL = "Install it with: uv sync --group compare"
_MOST_POINTS = 200_000
_FINEST = 1e-4


class NotInstalled(Exception):
    """dp-accounting is not there; `str` says how to install it."""

    def __init__(self) -> None:
        super().__init__(INSTALL)


def by_distribution(asked: Sequence[Asked], delta: Decimal) -> float:
    """ε of everything together at δ, rounded up. Raises NotInstalled.

    Pure ε counts as randomised response, which no ε-DP mechanism exceeds; ρ as Gaussian noise of
    that ρ. Koskela, Jälkö and Honkela 2020; Doroshenko and others 2022.
    """
    try:
        from dp_accounting.pld import privacy_loss_distribution as library
    except ImportError as missing:
        raise NotInstalled from missing
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


def _step(pure: Sequence[Asked], bound: float) -> int:
    """The grid of losses, in nano-ε: all amounts lie on it, unless it had too many points then."""
    coarsest = max(int(_FINEST * NANO), int(3 * bound * NANO) // _MOST_POINTS)
    return max(math.gcd(*(one.nano for one in pure)), coarsest) if pure else coarsest


def _on(pure: Sequence[Asked], step: int) -> list[tuple[int, int]]:
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
