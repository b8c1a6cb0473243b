"""M11: tables chosen by what they would tell: only what was chosen leaves, and all is paid for.

What could leak, to whoever reads the answer: scores or counts of tables that were not chosen; exact
counts by way of the model; a refusal that depends on rows. What could overspend: a score that moves
further than its noise allows, rounds that cost more than the whole.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from unittest import mock

import pytest

from dpgov.privacy.accounting.decimals import NANO, as_fraction
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.mechanisms.adaptive import (
    CHOOSING,
    LARGEST_GUESS,
    TEXTBOOK,
    Adaptive,
    BadGuess,
    Counts,
    Model,
    Round,
)
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import NoiseKind, NoiseOutOfRange
from dpgov.privacy.noise.sensitivity import Exposure, Sensitivity, of_count
from dpgov.privacy.plan.schema import LARGEST_SUM, Neighbouring

# Rows of two columns with two and three bins; the candidates are every table of them.
KINDS = list(product(range(2), range(3)))
AXES = ((0,), (1,), (0, 1))
SIZES = (2, 3)
CELLS = (2, 3, 6)
ONE = Sensitivity(1, 1)
Rows = tuple[tuple[int, ...], ...]


def tables(rows: Rows) -> list[list[int]]:
    """The exact counts of each candidate."""
    found = []
    for axes in AXES:
        counted = Counter(tuple(row[axis] for axis in axes) for row in rows)
        found.append([counted[cell] for cell in product(*(range(SIZES[axis]) for axis in axes))])
    return found


def neighbours(rows: Rows, group: int, relation: Neighbouring) -> Iterator[Rows]:
    """Every table that so many rows, gone, come or replaced, can make of it."""
    for changed in range(1, group + 1):
        if relation is Neighbouring.ADD_REMOVE:
            for more in combinations_with_replacement(KINDS, changed):
                yield tuple(sorted((*rows, *more)))
        elif len(rows) >= changed:
            for other in combinations_with_replacement(KINDS, changed):
                yield (*rows[changed:], *other)


def reach(group: int, relation: Neighbouring) -> Sensitivity:
    """As the product has it, for a count by groups."""
    return of_count(
        Exposure(rows=group, neighbouring=relation, grouped=True, droppable=True, cells=6)
    )


def adaptive(
    within: Sensitivity = ONE, nano: int = NANO, rounds: int = 3, **more: object
) -> Adaptive:
    mode = more.pop("mode", Mode.PURE)
    assert isinstance(mode, Mode)
    return Adaptive(CELLS, within, Loss(mode, nano), rounds, **more)  # type: ignore[arg-type]


def scores(of: Adaptive, exact: Sequence[Counts], guesses: Sequence[Counts]) -> list[int]:
    """What the choice is made of, as the sampler is given it."""
    with mock.patch.object(sampling, "highest", side_effect=[0] * of.rounds) as asked:
        of.run(exact, lambda _: guesses)
    assert {call.kwargs["sensitivity"] for call in asked.call_args_list} == {of.reach.l1}
    return list(asked.call_args_list[0].args[0])


@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize(("group", "penalised"), [(1, True), (2, True), (1, False)])
def test_no_neighbour_moves_a_score_further_than_its_noise_allows(
    group: int, penalised: bool, relation: Neighbouring
) -> None:
    """M11: brute force over all tables of up to three rows, against guesses of every kind.

    Without a penalty as MWEM has it.
    """
    chance, within = Random(11), reach(group, relation)
    mechanism, farthest = adaptive(within, rounds=1, penalised=penalised), 0
    for number in range(4):
        for rows in combinations_with_replacement(KINDS, number):
            guesses = [[chance.randint(-1, 3) for _ in range(cells)] for cells in CELLS]
            before = scores(mechanism, tables(rows), guesses)
            for other in neighbours(rows, group, relation):
                after = scores(mechanism, tables(other), guesses)
                moved = max(abs(x - y) for x, y in zip(before, after, strict=True))
                assert moved <= within.l1
                farthest = max(farthest, moved)
    assert farthest == within.l1


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("choosing", [CHOOSING, TEXTBOOK])
@pytest.mark.parametrize("nano", [NANO, 123_456_789, 7_777])
def test_all_rounds_together_cost_at_most_the_whole(
    mode: Mode, choosing: Fraction, nano: int
) -> None:
    """M11: by the parts, and by what OpenDP's own maps say of what is drawn."""
    mechanism = adaptive(Sensitivity(2, 4), nano, 7, mode=mode, choosing=choosing)
    choice, draw = mechanism.of_a_choice, mechanism.of_a_draw
    assert 7 * (choice.nano + draw.nano) <= nano
    noise, drawn = calibrated(mechanism.reach, draw)
    by_gauss = noise.kind is NoiseKind.GAUSSIAN
    said = sampling.loss_of(drawn, 2.0 if by_gauss else 2)
    if mode is Mode.PURE or by_gauss:
        assert said <= as_fraction(draw.nano)
    chosen = sampling.loss_of(sampling.choice(mechanism.reach.l1, choice)[1], 2)
    assert chosen <= as_fraction(choice.nano)


def test_only_chosen_tables_are_drawn_and_the_model_sees_nothing_else() -> None:
    """M11: one choice and one draw a round; the model is shown earlier rounds and no count."""
    shown: list[Sequence[Round]] = []

    def model(found: Sequence[Round]) -> list[list[int]]:
        shown.append(found)
        return [[0] * cells for cells in CELLS]

    exact = tables((KINDS[0], KINDS[5], KINDS[5]))
    with (
        mock.patch.object(sampling, "highest", side_effect=[2, 0, 2]) as chosen,
        mock.patch.object(sampling, "add_noise", side_effect=lambda counts, _: counts) as drawn,
    ):
        found = adaptive().run(exact, model)
    assert chosen.call_count == 3
    assert [call.args[0] for call in drawn.call_args_list] == [exact[2], exact[0], exact[2]]
    assert found == (
        Round(2, tuple(exact[2])),
        Round(0, tuple(exact[0])),
        Round(2, tuple(exact[2])),
    )
    assert shown == [(), found[:1], found[:2]]


def test_what_fails_fails_for_every_table_alike() -> None:
    """M11: guesses and amounts are looked at, rows never."""
    wrong: list[Model] = [
        lambda _: [[0] * cells for cells in CELLS[:2]],
        lambda _: [[0.5] * cells for cells in CELLS],  # type: ignore[list-item]
        lambda _: [[LARGEST_GUESS + 1] * cells for cells in CELLS],
    ]
    for rows in ((), (KINDS[0],), (KINDS[3],) * 3):
        for model in wrong:
            with pytest.raises(BadGuess):
                adaptive().run(tables(rows), model)
        with pytest.raises(NoiseOutOfRange):
            adaptive(nano=2).run(tables(rows), lambda _: [[0] * cells for cells in CELLS])


def test_the_smallest_amount_is_enough_for_every_round() -> None:
    for mode in Mode:
        least = adaptive(Sensitivity(2**40, 2**80), mode=mode).smallest_nano
        mechanism = adaptive(Sensitivity(2**40, 2**80), least, mode=mode)
        assert len(mechanism.run(tables(()), lambda _: [[0] * cells for cells in CELLS])) == 3


def test_a_large_table_has_to_tell_more_than_its_noise() -> None:
    """Counts that a model knows exactly are worth nothing, and less the more of them there are."""
    rows = (KINDS[0],) * 40
    exact = tables(rows)
    known = scores(adaptive(rounds=1), exact, exact)
    assert known == sorted(known, reverse=True)
    assert scores(adaptive(rounds=1, penalised=False), exact, exact) == [0, 0, 0]


@pytest.mark.parametrize("rows", [0, 1, 10**6, 2**40])
def test_whether_a_choice_can_be_made_does_not_hang_on_rows(rows: int) -> None:
    """M11: a refusal at some distance from the guess would tell the distance, without any noise.

    Here noise is so large that a table is penalised by just more than the sampler compares.
    """
    cells, nano = 1_000, 10_000_000
    of_a_draw = Fraction(9, 1_000)
    far = math.ceil(LARGEST_SUM / cells * of_a_draw)
    mechanism = Adaptive((cells,), Sensitivity(far, far**2), Loss(Mode.PURE, nano), 1)
    assert mechanism.smallest_nano <= nano
    exact = [[rows] + [0] * (cells - 1)]
    (found,) = mechanism.run(exact, lambda _: [[0] * cells])
    assert found.place == 0


def test_no_distance_that_can_be_passes_what_is_compared() -> None:
    """M11: as many rows as may be declared against the largest guesses; nearer ones tell apart."""
    mechanism = adaptive(rounds=1)
    most = [[LARGEST_SUM] + [0] * (cells - 1) for cells in CELLS]
    for guess in (0, -LARGEST_GUESS, LARGEST_GUESS):
        found = scores(mechanism, most, [[guess] * cells for cells in CELLS])
        assert max(map(abs, found)) <= LARGEST_SUM
