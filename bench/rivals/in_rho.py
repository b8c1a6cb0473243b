"""Two ways to hold a price in ρ against a pure ε, as texts that a plan reads.

`converted`: the largest ρ that implies (ε, 10^-6), the same ε with a small δ. `charged`: the ρ of a
pure ε, which is what an answer at that ε takes of a budget in ρ, ours or another tool's.
"""

from decimal import Decimal

from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import rho_limit, rho_of

_DELTA = Decimal("0.000001")


def converted(epsilon: float) -> str:
    """At the largest ρ that implies (ε, 10^-6)."""
    return as_text(rho_limit(round(epsilon * NANO), _DELTA))


def charged(epsilon: float) -> str:
    """At ε tanh(ε/2)."""
    return as_text(rho_of(round(epsilon * NANO)))


WAYS = (converted, charged)
