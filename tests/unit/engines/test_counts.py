"""L3: tables of few different rows are recognised by how many there are of each."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.likeness import Likeness, likeness
from tests.unit.engines.tables import category, ingest_here, write_csv

Columns = dict[str, list[str]]
Print = Callable[[Columns], TableFingerprint]
ROWS = 3000
# As in a survey: how likely each answer is.
ASKED: dict[str, Sequence[float]] = {
    "sex": (0.52, 0.48),
    "smoker": (0.7, 0.3),
    "region": (0.4, 0.3, 0.2, 0.1),
    "education": (0.25, 0.35, 0.2, 0.1, 0.06, 0.04),
    "score": (0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.18, 0.14, 0.1, 0.05, 0.03),
}
TABLES = {
    "sex and region": ("sex", "region"),
    "sex, smoker, region and education": ("sex", "smoker", "region", "education"),
    "sex, smoker and region": ("sex", "smoker", "region"),
    "a score alone": ("score",),
}


def survey(seed: int, names: Sequence[str], rows: int = ROWS) -> Columns:
    """Invented people who answered; every seed has others."""
    rng = np.random.default_rng(seed)
    return {name: _answers(rng, name, rows) for name in names}


def _answers(rng: np.random.Generator, name: str, rows: int) -> list[str]:
    chances = ASKED[name]
    return [f"{name} {answer}" for answer in rng.choice(len(chances), rows, p=chances)]


@pytest.fixture
def printed(tmp_path: Path) -> Print:
    made = iter(range(10**6))

    def make(table: Columns) -> TableFingerprint:
        path = tmp_path / f"{next(made)}.csv"
        write_csv(path, list(table), list(zip(*table.values(), strict=True)))
        return ingest_here(path, (category(next(iter(table)), "-"),), max_rows=10**5).fingerprint

    return make


def less(table: Columns, rows: int = 1) -> Columns:
    return {name: cells[:-rows] for name, cells in table.items()}


def more(table: Columns) -> Columns:
    return {name: [*cells, cells[0]] for name, cells in table.items()}


def changed(table: Columns) -> Columns:
    name = next(iter(table))
    return table | {name: [table[name][1], *table[name][1:]]}


def renamed(table: Columns) -> Columns:
    return {f"V{place}": cells for place, cells in enumerate(reversed(less(table).values()))}


SMALL_CHANGES = {"less": less, "more": more, "changed": changed, "renamed": renamed}


@pytest.mark.parametrize("change", SMALL_CHANGES)
@pytest.mark.parametrize("names", TABLES.values(), ids=TABLES.keys())
def test_a_row_more_or_less_is_the_same_table(
    printed: Print, names: Sequence[str], change: str
) -> None:
    """L3: of 8 to 93 different rows, columns in another order and under other names too."""
    table = survey(1, names)
    how = likeness(printed(table), printed(SMALL_CHANGES[change](table)))
    assert how.is_recognised
    assert likeness(printed(SMALL_CHANGES[change](table)), printed(table)) is how


@pytest.mark.parametrize("left_out", ["sex", "smoker", "region", "education"])
def test_a_column_left_out_or_added_is_the_same_table(printed: Print, left_out: str) -> None:
    """L3: with a row less as well, and down to a single column."""
    table = survey(1, TABLES["sex, smoker, region and education"])
    fewer = less({name: cells for name, cells in table.items() if name != left_out})
    one, other, alone = printed(table), printed(fewer), printed(less({"x": table[left_out]}))
    assert likeness(one, other) is likeness(other, one) is Likeness.COUNTS
    assert likeness(one, alone) is likeness(alone, one) is Likeness.COUNTS


def test_a_column_exchanged_for_another_is_the_same_table(printed: Print) -> None:
    """L3: the other columns still say so, if there are enough of them."""
    table = survey(1, TABLES["sex, smoker, region and education"])
    other = less(table | {"smoker": survey(2, ["score"])["score"]})
    assert likeness(printed(table), printed(other)) is Likeness.COLUMNS


@pytest.mark.parametrize("rows", [200, ROWS])
@pytest.mark.parametrize("names", TABLES.values(), ids=TABLES.keys())
def test_the_same_questions_asked_of_other_people_are_other_people(
    printed: Print, names: Sequence[str], rows: int
) -> None:
    """L3: the survey of another year, of as many people."""
    years = [printed(survey(seed, names, rows)) for seed in range(5)]
    found = {likeness(years[a], years[b]) for a in range(5) for b in range(a)}
    assert found == {Likeness.NONE}


def test_random_tables_are_recognised_and_others_are_not(printed: Print) -> None:
    """L3: 8 to 100 different rows, 150 to 4,000 in all, one row less; against another sample."""
    rng = np.random.default_rng(3)
    missed, mistaken = 0, 0
    for _ in range(25):
        kinds, rows = int(rng.integers(8, 101)), int(rng.integers(150, 4001))
        chances = rng.dirichlet(np.ones(kinds))
        one, other = (
            {"kind": [f"kind {kind}" for kind in rng.choice(kinds, rows, p=chances)]}
            for _ in range(2)
        )
        known = printed(one)
        missed += not likeness(known, printed(less(one))).is_recognised
        mistaken += likeness(known, printed(other)).is_recognised
    assert (missed, mistaken) == (0, 0)


def test_numbered_rows_and_planned_ones_say_nothing(printed: Print) -> None:
    """L3: 1 to 40 and 1 to 39; fifty people asked in each region, and other answers."""
    numbers = {"number": [str(number) for number in range(40)]}
    assert likeness(printed(numbers), printed(less(numbers))) is Likeness.NONE
    regions = [f"region {place // 50}" for place in range(400)]
    one, other = (
        printed(survey(seed, ("score", "education"), 400) | {"region": regions})
        for seed in range(2)
    )
    assert likeness(one, other) is Likeness.NONE


def test_values_under_other_names_are_not_recognised(printed: Print) -> None:
    """L3: what the documentation says: it is for an officer to see, not for a comparison."""
    table = survey(1, ("sex", "region"))
    recoded = {name: [f"{cell}." for cell in cells] for name, cells in table.items()}
    assert likeness(printed(table), printed(recoded)) is Likeness.NONE
