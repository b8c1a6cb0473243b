"""Our linear regressions on datasets that count ρ, in both ways of `in_rho`."""

import json
from functools import partial

from bench.rivals.in_rho import WAYS
from bench.rivals.lines import measured
from bench.rivals.our_lines import fit_at
from bench.rivals.tasks import wanted_runs
from dpgov.privacy.accounting.loss import Mode

if __name__ == "__main__":
    times = wanted_runs(200)
    ways = {way.__name__: partial(fit_at, mode=Mode.ZCDP, price_of=way) for way in WAYS}
    print(json.dumps({name: measured(fit, times) for name, fit in ways.items()}))
