"""F9, L3: tables of few-valued columns are recognised by all their numbers together.

Answers to surveys are invented, and fingerprints made of them as a reader makes them: cells hashed
by their value, the same in each column, and rows by the sum of their cells.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, log2
from typing import Any

import numpy as np
import pytest

from dpgov.engines.chance import log2_at_most
from dpgov.engines.fingerprint import MultisetFingerprint, TableFingerprint
from dpgov.engines.in_order import _bits, _in_order, agree_in_order
from dpgov.engines.likeness import likeness
from tests.unit.engines.recognised.test_beside import part_of

Answers = Any


@dataclass(frozen=True)
class Survey:
    """So many questions of so many answers, put to so many people."""

    questions: int
    answers: int
    people: int

    def drawn(self, seed: int) -> Callable[[int], Answers]:
        """Invents so many people who answer, others each time; a third of the answers of one
        person follow from the same inclination.
        """
        chance = np.random.default_rng(seed)
        weights = chance.random((self.questions, self.answers)) + 0.02
        ends = np.cumsum(weights / weights.sum(1, keepdims=True), axis=1)

        def people(number: int) -> Answers:
            own, each = chance.random((number, 1)), chance.random((number, self.questions))
            places = np.where(chance.random(each.shape) < 1 / 3, own, each)
            return (places[:, :, None] > ends[None, :, :-1]).sum(2)

        return people


SURVEYS = {
    "12 questions of 3 answers": Survey(12, 3, 1000),
    "20 yes-or-no questions": Survey(20, 2, 1000),
    "10 questions of 5 answers": Survey(10, 5, 2000),
    "6 questions of 4 answers": Survey(6, 4, 4900),
}
SMALL = {
    "20 yes-or-no questions to 60": Survey(20, 2, 60),
    "40 yes-or-no questions to 100": Survey(40, 2, 100),
    "12 questions of 5 answers to 50": Survey(12, 5, 50),
    "50 questions of 3 answers to 500": Survey(50, 3, 500),
}
each_survey = pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS.keys())


def printed(answers: Answers) -> TableFingerprint:
    """Of a table with a column for each question."""
    cells = (answers.astype(np.uint64) + np.uint64(1)) ** np.uint64(7)
    rows = _named(cells.sum(1))
    columns = tuple(_named(answers[:, place]) for place in range(answers.shape[1]))
    return TableFingerprint(" ".join(part.digest for part in (rows, *columns)), rows, columns)


def _named(values: Answers) -> MultisetFingerprint:
    return replace(part_of(values), digest=hashlib.sha256(np.sort(values).tobytes()).hexdigest())


def numbered(answers: Answers) -> Answers:
    return np.column_stack([answers, np.arange(len(answers)) + 1000])


def shorter(answers: Answers) -> Answers:
    return answers[:, 1:]


def in_the_middle(answers: Answers) -> Answers:
    return np.delete(answers, answers.shape[1] // 2, axis=1)


CHANGES = {"numbered": numbered, "shorter": shorter, "one less in the middle": in_the_middle}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@each_survey
def test_the_same_people_and_some_more_are_recognised_by_other_columns_too(
    survey: Survey, change: Callable[[Answers], Answers]
) -> None:
    """Four people in a thousand came, and a column came or went: as next month's file has it."""
    for seed in range(10):
        people = survey.drawn(seed)
        before = people(survey.people)
        after = np.concatenate([before, people(survey.people // 250)])
        found = [likeness(printed(before), printed(change(after)))]
        found.append(likeness(printed(change(after)), printed(before)))
        assert all(each.is_recognised for each in found), seed


@each_survey
def test_the_same_columns_are_recognised_with_a_tenth_more_people(survey: Survey) -> None:
    for seed in range(10):
        people = survey.drawn(seed)
        before = people(survey.people)
        after = np.concatenate([before, people(survey.people // 10)])
        assert likeness(printed(before), printed(after)).is_recognised, seed


def test_a_column_that_was_made_anew_does_not_hide_the_others() -> None:
    """A weight, or a score that is computed again for each export."""
    survey = SURVEYS["10 questions of 5 answers"]
    people = survey.drawn(1)
    before = people(survey.people)
    after = np.concatenate([before, people(20)])
    after[:, 3] = (after[:, 3] * 3 + after[:, 4]) % 5
    assert agree_in_order(printed(before), printed(after))
    after[:, 7] = (after[:, 7] * 3 + after[:, 8]) % 5
    assert agree_in_order(printed(before), printed(after))


@pytest.mark.parametrize("change", [numbered, shorter, lambda answers: answers])
@pytest.mark.parametrize("survey", [*SURVEYS.values(), *SMALL.values()], ids=[*SURVEYS, *SMALL])
def test_other_people_who_answer_the_same_are_other_people(
    survey: Survey, change: Callable[[Answers], Answers]
) -> None:
    """As many, or a few more: of forty waves of a survey none is taken for the one before."""
    for seed in range(40):
        people = survey.drawn(seed)
        before, after = people(survey.people), people(survey.people + seed % 5)
        assert not agree_in_order(printed(before), printed(change(after))), seed


def test_a_small_survey_of_yes_and_no_is_not_held_for_that_of_others() -> None:
    """L3: sixty people and twenty such columns: near to some column of another one each is."""
    survey, held = SMALL["20 yes-or-no questions to 60"], 0
    for seed in range(60):
        people = survey.drawn(seed)
        held += likeness(printed(people(60)), printed(people(60))).is_recognised
    assert held <= 2


def test_columns_that_say_the_same_again_count_once() -> None:
    """A code, its name and its label: of one column that happens to agree there are three."""
    rng = np.random.default_rng(1)
    one, other = (np.repeat(rng.choice(7, (500, 1)) ** 2, 30, axis=1) for _ in range(2))
    other[:, :] = one[rng.permutation(500)]
    assert not agree_in_order(printed(one), printed(np.vstack([other, other[:2]])))


def test_what_was_laid_out_says_nothing() -> None:
    """The same number for each region, in each of twenty columns."""
    laid_out = np.stack([np.arange(600) // 100 % 6 + 6 * column for column in range(20)], axis=1)
    assert not agree_in_order(printed(laid_out), printed(np.vstack([laid_out, laid_out[:1]])))


@pytest.mark.parametrize("seed", range(20))
def test_columns_are_put_beside_each_other_in_the_closest_way(seed: int) -> None:
    """All ways tried one by one, as the reference."""
    rng = np.random.default_rng(seed)
    few, many = int(rng.integers(1, 5)), int(rng.integers(5, 7))
    apart, freedom = rng.random((few, many)) * 9, rng.integers(0, 6, (few, many)).astype(float)
    found = _in_order(apart, freedom)
    assert len(found) == min(3, few)
    for left_out, (statistic, degrees) in enumerate(found):
        kept = few - left_out
        ways = [
            (sum(apart[pair] for pair in pairs), sum(freedom[pair] for pair in pairs))
            for rows in combinations(range(few), kept)
            for columns in combinations(range(many), kept)
            for pairs in [list(zip(rows, columns, strict=True))]
        ]
        least = min(ways, key=lambda way: way[0] - 0.2 * way[1])
        assert (statistic, degrees) == pytest.approx(least)


def test_more_ways_to_put_them_say_less() -> None:
    """One of 20 and 21 columns left out: 20 ways and 210, which is less by so many bits."""
    alone = -log2_at_most(1, 10)
    assert _bits(2, 20, (20, 20), 0) == pytest.approx(alone)
    ways = log2(comb(20, 19) * comb(21, 19))
    assert _bits(2, 20, (20, 21), 1) == pytest.approx(alone - ways)


def test_in_another_order_nothing_is_said_here() -> None:
    """docs/guarantee.md says so."""
    survey = SURVEYS["20 yes-or-no questions"]
    before = survey.drawn(2)(survey.people)
    assert agree_in_order(printed(before), printed(before))
    assert not agree_in_order(printed(before), printed(before[:, ::-1]))
