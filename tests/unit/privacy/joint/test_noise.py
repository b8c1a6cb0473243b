"""M40: what is charged for a joint answer is never less than what its honest noise gives away.

What could leak: noise that colluders know counted as noise, or the sum of discrete Gaussians taken
for a discrete Gaussian where it is none. To whom: whoever sees the total, t of the parties among
them. The divergences of convolved exact distributions are summed here and held against the bound.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.joint.noise import (
    MOST_PARTIES,
    NotJoint,
    Shares,
    check_parties,
    loss_of_sum,
    shares_for,
    stays_in_range,
)
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sampling import LARGEST_SCALE, gaussian_of, loss_of
from dpgov.privacy.plan.schema import LARGEST_SUM

_ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0)


def _summed(scale: float, summed: int) -> Floats:
    """The exact distribution of a sum, out to forty scales."""
    reach = math.ceil(40 * scale) + 1
    one = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    one /= one.sum()
    whole = one
    for _ in range(summed - 1):
        whole = np.convolve(whole, one)
    return whole


def _largest_loss(distribution: Floats, shift: int) -> float:
    """The least ρ that the divergences of these orders admit between it and itself, shifted."""
    here, there = distribution[shift:], distribution[: len(distribution) - shift]
    seen = (here > 1e-250) & (there > 1e-250)
    logs, others = np.log(here[seen]), np.log(there[seen])
    found: list[float] = []
    for order in _ORDERS:
        terms = order * logs + (1 - order) * others
        top = float(terms.max())
        divergence = (top + math.log(float(np.exp(terms - top).sum()))) / (order - 1)
        found.append(divergence / order)
    return max(found)


@pytest.mark.parametrize("scale", [0.5, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("summed", [1, 2, 3])
def test_the_bound_holds_for_sums_that_are_no_discrete_gaussian(scale: float, summed: int) -> None:
    """M40: convolved exactly, every order and shift."""
    distribution = _summed(scale, summed)
    for shift in (1, 2, 3):
        stated = float(loss_of_sum(shift**2, scale, summed, 1))
        assert _largest_loss(distribution, shift) <= stated * (1 + 1e-9)


def test_a_sum_of_narrow_ones_loses_more_than_a_discrete_gaussian_would() -> None:
    """M40: the negative control: without τ the bound would be passed."""
    distribution = _summed(0.5, 2)
    without = 1 / (2 * 2 * 0.5**2)
    assert max(_largest_loss(distribution, shift) / shift**2 for shift in (1, 2, 3)) > without


_QUESTIONS = {
    "parties": st.integers(3, MOST_PARTIES),
    "cells": st.integers(1, 10_000),
    "influence": st.integers(1, 10**6),
    "nano": st.integers(NANO // 10**4, 5 * NANO),
}


@given(data=st.data(), **_QUESTIONS)
def test_the_honest_shares_alone_pay(
    data: st.DataObject, parties: int, cells: int, influence: int, nano: int
) -> None:
    """M40: never more than is booked, and no more noise than that takes."""
    colluders = data.draw(st.integers(1, parties - 2))
    shares = shares_for(
        parties=parties, colluders=colluders, cells=cells, l2_squared=influence**2, nano=nano
    )
    honest = parties - colluders
    assert shares.bound(influence**2) <= Fraction(nano, NANO)
    # OpenDP says what one share of that variance alone would cost; honest ones add up.
    alone = loss_of(gaussian_of(shares.scale), float(influence))
    assert shares.bound(influence**2) * honest >= alone * (1 - Fraction(1, 2**40))
    ideal = influence / math.sqrt(2 * nano / NANO * honest)
    assert shares.scale <= max(ideal * (1 + 1e-3), 2.1)
    assert stays_in_range(parties, shares.scale)


@given(parties=st.integers(3, MOST_PARTIES), data=st.data())
def test_the_total_has_n_over_n_minus_t_of_the_central_variance(
    parties: int, data: st.DataObject
) -> None:
    colluders = data.draw(st.integers(1, parties - 2))
    shares = shares_for(
        parties=parties, colluders=colluders, cells=1, l2_squared=100**2, nano=NANO // 10
    )
    central = 100 / math.sqrt(0.2)
    assert shares.total.scale / central == pytest.approx(
        math.sqrt(parties / (parties - colluders)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("parties", "colluders", "why"),
    [
        (2, 1, "two separate answers do the same"),
        (1, 1, "two separate answers do the same"),
        (21, 1, "3 to 20 organisations"),
        (3, 2, "a separate answer of each"),
        (3, 0, "at most 1 may put"),
        (5, 4, "a separate answer of each"),
    ],
)
def test_who_gains_nothing_is_refused(parties: int, colluders: int, why: str) -> None:
    """M40: two parties, and all but one against the rest."""
    with pytest.raises(NotJoint, match=why):
        check_parties(parties, colluders)


def test_no_total_wraps_around() -> None:
    """M40: the largest tables and the widest noise that there can be stay far below 2^63."""
    assert stays_in_range(MOST_PARTIES, float(LARGEST_SCALE))
    assert MOST_PARTIES * LARGEST_SUM < 2**58


def test_a_share_is_drawn_for_every_cell() -> None:
    shares = Shares(parties=3, colluders=1, cells=4, scale=2.0)
    drawn = np.array([shares.add_noise([10, 20, 30, 40]) for _ in range(2000)])
    assert np.allclose(drawn.mean(axis=0), [10, 20, 30, 40], atol=0.4)
    assert np.allclose(drawn.std(axis=0), 2.0, atol=0.3)
    with pytest.raises(ValueError, match="each cell"):
        shares.add_noise([1, 2])
