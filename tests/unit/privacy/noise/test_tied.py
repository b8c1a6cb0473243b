"""M7: choices among many candidates of few scores, drawn by groups: the law is that of OpenDP's.

What could leak: a place whose chance is another than what the price was reckoned for, by numbers
that are rounded, a short cut that takes what the long way would not, bits that are not fair, or
candidates of one score that are not alike. Laws are computed here, with 60 digits, and not drawn.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from itertools import product
from unittest import mock

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.noise import sampling, tied
from tests.unit.privacy.noise.test_choosing import DIGITS, report_noisy_max

WHOLE = 2**192
SHAPES = [[0, -3, -3, -3, -3], [0, 0, -1, -1, -9], [-2, 0, -2, -40, -40, -40], [0, 0, 0, 0]]
GAP, TIED = 14, 4_000


def grouped(found: Sequence[int], scale: float) -> tied.Groups:
    with mock.patch.multiple(tied, _FEW_CANDIDATES=0, _ALIKE=0):
        groups = tied.groups_of(max(found) - np.array(found, dtype=np.int64), scale)
    assert groups is not None
    return groups


def chance_of_at_most(count: int, chance: Decimal, most: int) -> Decimal:
    """By how many numbers, of all there are, no more than so many are accepted."""
    low, high = 0, WHOLE
    while low < high:
        middle = (low + high) // 2
        if tied.binomial(count, chance, middle) <= most:
            low = middle + 1
        else:
            high = middle
    return Decimal(low) / WHOLE


def law_of(groups: tied.Groups, mode: Mode) -> list[Decimal]:
    """Of each candidate, out of the thresholds that numbers are compared with."""
    sizes = groups.counts.tolist()
    if mode is Mode.ZCDP:
        all_of_them = tied.weights(groups)
        each = [Decimal(w) / sum(all_of_them) / n for w, n in zip(all_of_them, sizes, strict=True)]
        return [each[group] for group in groups.group]
    laws = [{sizes[0]: Decimal(1)}]
    for group, size in list(enumerate(sizes))[1:]:
        upto = [chance_of_at_most(size, tied._chance(groups, group), k) for k in range(size + 1)]
        assert upto[-1] == 1
        laws.append({k: p - (upto[k - 1] if k else 0) for k, p in enumerate(upto)})
    each = [Decimal(0)] * len(sizes)
    for counts in product(*laws):
        together = Decimal(1)
        for law, count in zip(laws, counts, strict=True):
            together *= law[count]
        for group, count in enumerate(counts):
            each[group] += together * count / sum(counts) / sizes[group]
    return [each[group] for group in groups.group]


@pytest.mark.parametrize("found", SHAPES, ids=str)
@pytest.mark.parametrize("scale", [0.7, 2.0, 31.5])
@pytest.mark.parametrize("mode", list(Mode))
def test_the_law_of_groups_is_that_of_looking_at_each(
    mode: Mode, scale: float, found: list[int]
) -> None:
    """M7: of every candidate, to within what `highest` reckons with."""
    with localcontext(prec=DIGITS):
        law = law_of(grouped(found, scale), mode)
        wanted = report_noisy_max(found, scale, mode)
        off = max(abs(a - b) for a, b in zip(law, wanted, strict=True))
        assert off <= Decimal(2) ** -170
        assert abs(sum(law, Decimal(0)) - 1) <= Decimal(2) ** -170
        # The negative control: one step of the scores further is seen.
        other = report_noisy_max([score - (score < 0) for score in found], scale, mode)
        apart = max(abs(a - b) for a, b in zip(law, other, strict=True))
        assert (apart > Decimal(2) ** -100) is (min(found) < 0)


@pytest.mark.parametrize("scale", [1.0, 7.3, 40.0])
def test_the_short_cut_takes_what_the_long_way_would(scale: float) -> None:
    """M7: the first four bytes say that none is accepted only where all numbers with them do."""
    taken = 0
    for gap, count in product((1, 5, 30, 400), (1, 60, 5_000, 60_000)):
        gaps, counts = np.array([0, gap]), np.array([1, count])
        groups = tied.Groups(gaps, counts, np.zeros(1, dtype=np.intp), scale)
        chance = tied._chance(groups, 1)
        with localcontext(prec=DIGITS):
            edge = int((1 - chance) ** count * 2**32)
        if count * chance > tied._RARE:
            continue
        for lead in {0, max(0, edge - 1), min(edge, 2**32 - 1), 2**32 - 2, 2**32 - 1}:
            for rest in (b"\0" * 20, b"\xff" * 20):
                given = iter([b"\0" * 4 + lead.to_bytes(4), rest])
                number = int.from_bytes(lead.to_bytes(4) + rest)
                found = tied.accepted(groups, lambda _, given=given: next(given))  # type: ignore[misc]
                assert found == [1, tied.binomial(count, chance, number)]
                taken += next(given, None) is not None
    assert taken > 10


def test_the_way_is_taken_where_many_are_alike_and_hardly_one_is_accepted() -> None:
    few, many = np.array([0, *[30] * 100]), np.array([0, *[30] * 5_000])
    assert tied.groups_of(few, 2.0) is None
    assert tied.groups_of(many, 2.0) is not None
    assert tied.groups_of(many, 20.0) is None
    assert tied.groups_of(np.arange(0, 60_000, 12), 2.0) is None


def test_bits_are_fair_and_follow_from_nothing() -> None:
    """M7: 80,000 of them; each place of a byte by itself; and no two draws alike."""
    drawn = np.unpackbits(np.frombuffer(sampling._fair(10_000), dtype=np.uint8)).reshape(-1, 8)
    assert np.abs(drawn.mean(axis=0) - 0.5).max() < 6 * 0.5 / 100
    assert sampling._fair(24) != sampling._fair(24)


def _share_of_the_best(mode: Mode, turns: int) -> float:
    """Of one best and `TIED` others so far below that about one of them is accepted."""
    loss = Loss(Mode.PURE, 1_185_000_000) if mode is Mode.PURE else Loss(mode, 175_500_000)
    found = np.array([*[-GAP] * (TIED // 2), 0, *[-GAP] * (TIED // 2)], dtype=np.int64)
    scale = sampling.choice(1, loss)[0]
    assert tied.groups_of(-found, scale) is not None
    assert TIED * np.exp(-GAP / scale) == pytest.approx(1, rel=0.03)
    places = [sampling.highest(found, sensitivity=1, loss=loss) for _ in range(turns)]
    others = [place for place in places if place != TIED // 2]
    assert abs(np.mean([place > TIED // 2 for place in others]) - 0.5) < 3 / len(others) ** 0.5
    return float(np.mean([place == TIED // 2 for place in places]))


def test_choices_are_drawn_by_their_laws() -> None:
    """M7: (1 - 1/e) under ε and 1/2 under ρ, which so many draws tell apart by 8 deviations."""
    turns = 1_100
    pure, concentrated = (_share_of_the_best(mode, turns) for mode in (Mode.PURE, Mode.ZCDP))
    assert abs(pure - 0.632) < 0.066
    assert abs(concentrated - 0.5) < 0.066
