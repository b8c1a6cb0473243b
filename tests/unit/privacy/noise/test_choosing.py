"""M7: noisy choices among very many candidates, computed exactly and not drawn.

What could leak: which candidates take part in a choice is a fact about the rows. A table in which a
candidate lies just within reach of the best, and its neighbour in which it lies just beyond, differ
in whether it can be chosen at all, unless it can be chosen otherwise; and where rows at the edges
of a candidate don't count for it, one row could move both of what is counted and what is looked
for. Both are paid for: here all probabilities of all small tables are computed, with 60 digits.
"""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product
from unittest import mock

import numpy as np
import pytest

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.mechanisms.grid import places_for, scores
from dpgov.privacy.mechanisms.quantiles import Quantiles
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import MissingRule
from tests.reference import Row
from tests.unit.privacy.mechanisms.test_choices import choices
from tests.unit.privacy.tables import blueprint_of, schema_of

DIGITS = 60
VALUES = column_spec("x", numeric_domain("0", "3", "1"), MissingRule.IMPUTE, "0")
ORDERS = [Fraction(1, 2), Fraction(3, 10), Fraction(9, 10)]
TABLES = [table for rows in range(4) for table in product(range(4), repeat=rows)]
NEIGHBOURS = [(t, (*t, value)) for t in TABLES for value in range(4) if list(t) == sorted(t)]
ONCE = Decimal(2) ** -32


def report_noisy_max(found: Sequence[int], scale: float, mode: Mode) -> list[Decimal]:
    """OpenDP's probabilities: permute and flip under ε, the exponential mechanism under ρ.

    Permute and flip is a uniform choice among those that are accepted, each for itself.
    """
    best = max(found)
    accepted = [(Decimal(score - best) / Decimal(scale)).exp() for score in found]
    if mode is Mode.ZCDP:
        return [weight / sum(accepted) for weight in accepted]
    chances = []
    for place, own in enumerate(accepted):
        others = accepted[:place] + accepted[place + 1 :]
        # together[m]: that m of the others are accepted.
        together = [Decimal(1)]
        for one in others:
            more = [Decimal(0), *(p * one for p in together)]
            kept = [*(p * (1 - one) for p in together), Decimal(0)]
            together = [a + b for a, b in zip(kept, more, strict=True)]
        chances.append(own * sum(p / (m + 1) for m, p in enumerate(together)))
    return chances


def chances(found: Sequence[int], scale: float, mode: Mode, reach: float) -> list[Decimal]:
    """Of each place, by `sampling.highest`: those within reach, and once in 2^32 any."""
    kept = [p for p, score in enumerate(found) if score >= max(found) - math.floor(reach * scale)]
    near = report_noisy_max([found[place] for place in kept], scale, mode)
    law = [ONCE / len(found)] * len(found)
    for place, chance in zip(kept, near, strict=True):
        law[place] += (1 - ONCE) * chance
    return law


def laws(
    order: Fraction, loss: Loss, reach: float = sampling._REACH
) -> Iterator[tuple[list[Decimal], list[Decimal]]]:
    """Of all pairs of neighbours, the whole way from the plan and the rows to the scores."""
    price = {"epsilon" if loss.mode is Mode.PURE else "rho": f"{Decimal(loss.nano) / NANO}"}
    statistic = {"statistic": "quantiles", "column": "x", "quantiles": [float(order)]}
    blueprint = blueprint_of(
        {"statistics": [statistic], **price}, schema_of(VALUES, mode=loss.mode)
    )
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Quantiles)
    scale, _ = sampling.choice(mechanism.sensitivity(order), loss)
    known: dict[tuple[int, ...], list[Decimal]] = {}

    def law(table: tuple[int, ...]) -> list[Decimal]:
        rows: list[Row] = [(code,) for code in sorted(table)]
        if table not in known:
            (choice,) = choices(blueprint, 0, rows)
            known[table] = chances(choice.scores, scale, loss.mode, reach)
        return known[table]

    yield from ((law(before), law(after)) for before, after in NEIGHBOURS)


def apart(one: list[Decimal], other: list[Decimal], mode: Mode) -> Decimal:
    """ε; or the ρ that follows from how far the log ratios range (Dong and others, 2019)."""
    ratios = [(a / b).ln() for a, b in zip(one, other, strict=True)]
    if mode is Mode.PURE:
        return max(map(abs, ratios))
    return (max(ratios) - min(ratios)) ** 2 / 8


def farthest(order: Fraction, loss: Loss, reach: float = sampling._REACH) -> Decimal:
    with localcontext(prec=DIGITS):
        return max(apart(*pair, loss.mode) for pair in laws(order, loss, reach))


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("nano", [NANO // 20, NANO, 3 * NANO, 30 * NANO])
@pytest.mark.parametrize("mode", list(Mode))
def test_no_two_neighbours_are_further_apart_than_is_paid(
    mode: Mode, nano: int, order: Fraction
) -> None:
    """C1, M7: every table of up to three rows and every row more, in exact probabilities."""
    loss = Loss(mode, nano)
    assert farthest(order, loss) <= Decimal(nano) / NANO


@pytest.mark.parametrize("mode", list(Mode))
def test_the_price_is_attained_and_less_noise_is_seen(mode: Mode) -> None:
    """C1, M7, negative control: one score falls and the other rises; then a fiftieth too little."""
    paid = Decimal(3)
    scale, _ = sampling.choice(1, Loss(mode, 3 * NANO))
    with localcontext(prec=DIGITS):
        for weaker in (1.0, 1.02):
            pair = [chances(found, scale / weaker, mode, 100) for found in ([0, -2], [-1, -1])]
            spent = apart(pair[0], pair[1], mode)
            assert (spent <= paid) is (weaker == 1.0)
            assert spent >= Decimal("0.99") * paid


def test_a_candidate_just_out_of_reach_costs_next_to_nothing() -> None:
    """M7: at half of the reach and less, it would cost more than what is put aside for it."""
    for mode in Mode:
        scale, measurement = sampling.choice(1, Loss(mode, 2 * NANO))
        inside = math.floor(sampling._REACH * scale)
        with localcontext(prec=DIGITS):
            for reach, enough in ((sampling._REACH, True), (sampling._REACH / 4, False)):
                gap = math.floor(reach * scale)
                pair = [chances([0, -gap - more], scale, mode, reach) for more in (0, 2)]
                spent = Fraction(apart(pair[0], pair[1], mode))
                paid = sampling.loss_of(measurement, 1) + sampling._SPARED
                assert paid <= 2
                assert (spent <= paid) is enough or not enough
                assert pair[1][1] == ONCE / 2
        assert inside >= gap


def test_what_is_put_aside_covers_what_is_left_out() -> None:
    """M7: the sum in the docstring of `highest`, of the largest ε and ρ."""
    with localcontext(prec=DIGITS):
        least = ONCE / sampling._MOST_SCORES
        # e^-reach is the most that each of those left out had.
        eta = 2 * sampling._MOST_SCORES * Decimal(-sampling._REACH).exp() / (ONCE * 1)
        assert eta <= Decimal(2) ** -91
        assert Decimal(-sampling._REACH).exp() <= least * Decimal(2) ** -90
        ranges = Decimal(90)
        pure, concentrated = 2 * eta, ((ranges + 4 * eta) ** 2 - ranges**2) / 8
        assert max(pure, concentrated) <= Decimal(1) / sampling._SPARED.denominator


def test_choices_that_share_a_price_have_no_more_scores_than_one_may_have() -> None:
    """M7: what is put aside covers all cells of an answer at once, each with rows that moved."""
    assert all(
        2 * cells * places_for(cells) <= sampling._MOST_SCORES for cells in range(1, MAX_CELLS)
    )


@pytest.mark.parametrize("mode", list(Mode))
def test_now_and_then_any_place_is_chosen(mode: Mode) -> None:
    """M7: without which a place out of reach would have no chance at all; all places alike."""
    asked, loss = np.array([0, -(10**9), -(10**9)], dtype=np.int64), Loss(mode, NANO)
    with mock.patch.object(sampling, "_MOSTLY", lambda truth: not truth):
        found = np.bincount(
            [sampling.highest(asked, sensitivity=1, loss=loss) for _ in range(600)], minlength=3
        )
    assert found.min() > 100
    assert {sampling.highest(asked, sensitivity=1, loss=loss) for _ in range(50)} == {0}


@pytest.mark.parametrize("mode", list(Mode))
def test_the_places_of_those_within_reach_are_kept(mode: Mode) -> None:
    """M7: the best of very many, among others out of reach."""
    for best in (0, 40_000, 65_535):
        asked = np.full(65_536, -(10**6), dtype=np.int64)
        asked[best] = 0
        assert sampling.highest(asked, sensitivity=1, loss=Loss(mode, NANO)) == best


@pytest.mark.parametrize("inwards", [0, 1, 2, 5])
def test_rows_that_do_not_count_for_their_candidate_move_no_score_further(inwards: int) -> None:
    """D1, M7: every table of three candidates with up to six rows each, and every row more."""
    for a, b in ((1, 2), (1, 4), (9, 10)):
        largest = 0
        for counts in product(range(7), repeat=3):
            before = scores(np.array(counts), a, b, inwards=inwards)
            for place in range(3):
                more = np.array(counts) + np.eye(3, dtype=np.int64)[place]
                largest = max(largest, np.abs(scores(more, a, b, inwards=inwards) - before).max())
        assert largest == max(a, b - a)


def test_few_rows_are_counted_to_the_middle_of_them() -> None:
    """M7: so that no candidate comes nearer by half of its width than it is."""
    few, many = np.array([2, 2, 2]), np.array([20, 20, 20])
    assert scores(few, 1, 2).tolist() == [-2, 0, -2]
    assert scores(few, 1, 2, inwards=5).tolist() == [-4, 0, -4]
    assert scores(many, 1, 2, inwards=5).tolist() == [-30, 0, -30]


@pytest.mark.parametrize("inwards", [0, 1, 3])
def test_a_score_says_how_many_rows_are_missed(inwards: int) -> None:
    """M7: what is stated beside a quantile; for all tables and candidates, with no noise at all."""
    for a, b in ((1, 2), (1, 4), (9, 10)):
        for counts in product((0, 1, 2, 5), repeat=4):
            found = scores(np.array(counts), a, b, inwards=inwards)
            upto = np.cumsum(counts)
            holds = int(np.argmax(b * upto >= a * upto[-1]))
            for low, high in combinations(range(4), 2):
                if holds in (low, high):
                    chosen = high if holds == low else low
                    between = sum(counts[low + 1 : high])
                    missed = Fraction(int(found.max() - found[chosen]), b)
                    assert between <= missed + inwards
