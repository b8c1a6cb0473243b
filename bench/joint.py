"""What nobody having to be trusted costs: the error of joint totals against a pooled table's.

For organisations and colluders, one count: the error that was drawn, over that of the central
answer at the same ρ, beside √(n/(n - t)); and how long the noise of one trusted place, one party's
share and the total take.

    uv run bench/joint.py
    uv run bench/joint.py --draws 200
"""

import argparse
import hashlib
import sys
import time
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.joint.masks import mask_of, masked, public_key_of, total_of
from dpgov.privacy.joint.noise import shares_for
from dpgov.privacy.noise.sampling import gaussian

CASES = ((3, 1), (5, 1), (5, 3), (10, 5), (20, 1))
RHO = NANO // 100


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table; times in milliseconds."""

    parties: int
    colluders: int
    ratio: float
    stated: float
    separate: float
    central_ms: float
    share_ms: float
    total_ms: float


def measure(parties: int, colluders: int, draws: int) -> Measured:
    """Real shares with real masks of `draws` cells at once: each is one draw of a count."""
    shares = shares_for(parties=parties, colluders=colluders, cells=draws, l2_squared=1, nano=RHO)
    privates = [hashlib.sha256(bytes([at])).digest() for at in range(parties)]
    keys = [public_key_of(private) for private in privates]
    sent, spent = [], 0.0
    for place, private in enumerate(privates):
        began = time.perf_counter()
        mask = mask_of(private=private, place=place, keys=keys, question=b"bench", cells=draws)
        sent.append(masked(shares.add_noise([1000] * draws), mask))
        spent += time.perf_counter() - began
    began = time.perf_counter()
    totals = total_of(sent, parties)
    total_ms = 1000 * (time.perf_counter() - began)
    error = float(np.std(np.array(totals) - 1000 * parties))
    central, add_noise = gaussian(1, RHO)
    began = time.perf_counter()
    add_noise([1000 * parties] * draws)
    central_ms = 1000 * (time.perf_counter() - began)
    return Measured(
        parties,
        colluders,
        error / central.scale,
        sqrt(parties / (parties - colluders)),
        sqrt(parties),
        central_ms,
        1000 * spent / parties,
        total_ms,
    )


def main(draws: int) -> None:
    """Print the table."""
    print(
        "| n | t | error / central | √(n/(n − t)) | separate answers | central, ms | share, ms "
        "| total, ms | (share + total) / central |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for parties, colluders in CASES:
        one = measure(parties, colluders, draws)
        print(
            f"| {one.parties} | {one.colluders} | {one.ratio:.2f} | {one.stated:.2f} "
            f"| {one.separate:.2f} | {one.central_ms:.0f} | {one.share_ms:.0f} "
            f"| {one.total_ms:.0f} | {(one.share_ms + one.total_ms) / one.central_ms:.2f} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=10_000, help="cells, each a draw")
    main(parser.parse_args().draws)
