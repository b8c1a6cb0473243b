"""Our logistic regressions on datasets that count ρ, for two ways to hold a ρ against a pure ε.

`converted`: the ρ that implies (ε, 10^-6), the same ε with a small δ. `charged`: the ρ of a pure ε,
which is what a fit at that ε takes of a budget in ρ, ours or another tool's.
"""

import json
from decimal import Decimal

from bench.rivals.logits import Numbers, measured, wanted_runs
from bench.rivals.our_logits import fit_at
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Mode, rho_limit, rho_of

_DELTA = Decimal("0.000001")


def converted(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """At the largest ρ that implies (ε, 10^-6)."""
    return fit_at(predictors, Mode.ZCDP, as_text(rho_limit(round(epsilon * NANO), _DELTA)))


def charged(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """At ε tanh(ε/2)."""
    return fit_at(predictors, Mode.ZCDP, as_text(rho_of(round(epsilon * NANO))))


if __name__ == "__main__":
    times = wanted_runs(30)
    print(json.dumps({way.__name__: measured(way, times) for way in (converted, charged)}))
