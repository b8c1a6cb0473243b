"""M80: what t of n organisations learn together about one person, by draws of the whole path.

Each party's exact sum with its share of the noise, hidden by its mask, stored as bytes, added up.
The first t collude: they read every share and the total and take away whatever is their own, rows,
noise and masks. What is left to them is the sum of the honest, and the share of the one who has the
person. What could leak, each a control below: noise that colluders know counted as noise, noise of
an honest party that is missing or too little, a mask between two honest parties that is missing.

What is charged is ρ, which bounds the Kullback-Leibler divergence. That of Gaussian noise is ρ, so
that 0.85 of the claim can be seen, and is. In (ε, δ) it cannot: at δ 0.05 a ρ of 1/2 promises
ε 2.04, of which Gaussian noise itself, computed exactly, gives away 1.57 (`_profile`); 0.85 of that
is asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import sha256
from math import exp

import numpy as np
import pytest
from scipy import optimize, stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode, epsilon_at
from dpgov.privacy.joint.masks import (
    as_bytes,
    from_bytes,
    mask_of,
    masked,
    public_key_of,
    total_of,
)
from dpgov.privacy.joint.noise import MODULUS, Shares
from dpgov.privacy.joint.total import Joint, joint_of
from dpgov.privacy.noise.lower_bound import lower_bound_of_epsilon, lower_bound_of_rho
from tests.reference import Row, exact_answer
from tests.statistical.evidence import FALSE_ALARM, Floats
from tests.unit.privacy.tables import SUM_AGE, blueprint_of, schema_of

pytestmark = pytest.mark.statistical
CLAIM_RHO, DELTA = 0.5, 0.05
MANY, FEWER = 200_000, 20_000
ROWS: list[Row] = [(20, 0, 0, 0, 0), (50, 3, 0, 1, 0)]
OLDEST: Row = (73, 0, 0, 0, 0)
# Adds one party's noise to its integers; the number is 0 for the party that has the person.
Noise = Callable[[Shares, int, list[int]], list[int]]


def honest(shares: Shares, _number: int, values: list[int]) -> list[int]:
    return shares.add_noise(values)


def silent(shares: Shares, number: int, values: list[int]) -> list[int]:
    return values if number == 1 else shares.add_noise(values)


def halved(shares: Shares, number: int, values: list[int]) -> list[int]:
    return replace(shares, scale=shares.scale / (1 + (number == 1))).add_noise(values)


def counts_colluders(shares: Shares, _number: int, values: list[int]) -> list[int]:
    """As if nobody knew their own noise: shares for t = 0."""
    paying = (shares.parties - shares.colluders) / shares.parties
    return replace(shares, scale=shares.scale * paying**0.5).add_noise(values)


@dataclass(frozen=True, slots=True)
class Asked:
    """A joint sum at ρ 1/2, whose noise is drawn anew for each of so many cells."""

    joint: Joint
    draws: int

    @property
    def shares(self) -> Shares:
        return replace(self.joint.shares, cells=self.draws)

    def exact(self, rows: Sequence[Row]) -> int:
        (request,), (reading,) = self.joint.blueprint.requests, self.joint.total.taken.readings
        (cell,) = exact_answer(rows, request)
        return reading.exact(dict(zip(request.measures, cell, strict=True)))


def asked(parties: int, colluders: int, draws: int) -> Asked:
    raw = {"statistics": [SUM_AGE], "rho": str(CLAIM_RHO)}
    blueprint = blueprint_of(raw, schema_of(mode=Mode.ZCDP))
    return Asked(joint_of(blueprint, parties=parties, colluders=colluders), draws)


@dataclass(frozen=True, slots=True)
class Sent:
    """What every party drew and sent about these tables."""

    question: Asked
    name: bytes
    drawn: list[list[int]]
    stored: list[bytes]

    def mask(self, place: int, parties: int) -> list[int]:
        """Of a party among so many of the first; of two, the mask that they alone agreed on."""
        keys = [public_key_of(_private(one)) for one in range(parties)]
        return mask_of(
            private=_private(place),
            place=place,
            keys=keys,
            question=self.name,
            cells=self.question.draws,
        )


def _private(place: int) -> bytes:
    return sha256(f"{place}".encode()).digest()


def send(question: Asked, rows: list[Row], noise: Noise) -> Sent:
    """The first honest party has `rows`, the other ones ROWS; what colluders add they take away."""
    shares, name = question.shares, f"{len(rows)} rows".encode()
    tables = [rows, *[ROWS] * (shares.parties - shares.colluders - 1)]
    drawn = [[0] * question.draws for _ in range(shares.colluders)] + [
        noise(shares, number, [question.exact(table)] * question.draws)
        for number, table in enumerate(tables)
    ]
    sent = Sent(question, name, drawn, [])
    for place, values in enumerate(drawn):
        sent.stored.append(as_bytes(masked(values, sent.mask(place, shares.parties))))
    return sent


def left_of_total(sent: Sent) -> Floats:
    """The honest parties' sum, as the total has it."""
    shares = sent.question.shares
    return _signed(total_of([from_bytes(text) for text in sent.stored], shares.parties))


def left_of_share(sent: Sent) -> Floats:
    """The share of place 1 without the mask that the one colluder, at place 0, agreed on."""
    known = sent.mask(0, 2)
    share = from_bytes(sent.stored[1])
    return _signed([one + mask for one, mask in zip(share, known, strict=True)])


def _signed(numbers: list[int]) -> Floats:
    """Each of them as one number of an answer, around 0."""
    half = MODULUS // 2
    signed = [(one + half) % MODULUS - half for one in numbers]
    return np.array(signed, dtype=np.float64).reshape(-1, 1)


def of_both(question: Asked, noise: Noise) -> tuple[Sent, Sent]:
    """With the person, and without."""
    return send(question, [*ROWS, OLDEST], noise), send(question, ROWS, noise)


def seen_rho(first: Floats, second: Floats) -> float:
    return lower_bound_of_rho(first, second, alpha=FALSE_ALARM)


def test_two_colluders_of_four_learn_what_was_paid_for_and_nearly_that() -> None:
    """M80: of ρ, and of ε at a δ by the same draws.

    Of ρ 0.873 is shown in the mean of runs, with a deviation of 0.006; of ε 0.85, with 0.02.
    """
    first, second = map(left_of_total, of_both(asked(4, 2, MANY), honest))
    assert 0.84 * CLAIM_RHO < seen_rho(first, second) <= CLAIM_RHO
    claim = epsilon_at(int(CLAIM_RHO * NANO), Decimal(str(DELTA))) / NANO
    found = lower_bound_of_epsilon(first, second, alpha=FALSE_ALARM, delta=DELTA)
    assert 0.7 * _profile() < found <= claim


def _profile() -> float:
    """ε of a Gaussian at this δ (Balle and Wang, 2018, theorem 8): all that anybody can see."""
    apart = (2 * CLAIM_RHO) ** 0.5

    def excess(epsilon: float) -> float:
        above, below = (stats.norm.cdf(s * apart / 2 - epsilon / apart) for s in (1, -1))
        return float(above - exp(epsilon) * below) - DELTA

    return float(optimize.brentq(excess, 0, 50))


@pytest.mark.parametrize("noise", [silent, halved, counts_colluders])
def test_too_little_noise_of_the_honest_is_seen(noise: Noise) -> None:
    """M80, negative controls: a party without noise or with half of it, and t that is forgotten."""
    first, second = map(left_of_total, of_both(asked(3, 1, 2 * FEWER), noise))
    assert seen_rho(first, second) > CLAIM_RHO


def test_one_share_says_nothing_until_its_mask_is_missing() -> None:
    """M80: without what the colluder knows of it a share is uniform; the control has no other mask.

    There the colluder reads one party with its own noise alone, half of what is paid for.
    """
    both = of_both(asked(3, 1, FEWER), honest)
    first, second = map(left_of_share, both)
    assert seen_rho(first, second) == 0
    for sent in both:
        sent.stored[1] = as_bytes(masked(sent.drawn[1], sent.mask(1, 2)))
    first, second = map(left_of_share, both)
    assert seen_rho(first, second) > CLAIM_RHO
