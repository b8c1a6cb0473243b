"""Invented tables: the same for the same declarations, within them, and answered as data is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.mock.answers import mock_answer
from dpgov.privacy.mock.rows import MISSING, MOST_ROWS, MockTable, mock_rows, mock_table
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import CategoryDomain, MissingRule, PrivacyUnit
from tests.reference import Owned, exact_answer
from tests.unit.privacy.tables import COLUMNS, blueprint_of, questions, schema_of

PERSON = PrivacyUnit("person", 3, 2)


def owned_rows(table: MockTable) -> list[Owned]:
    """The table as the slow reference reads it."""
    units = table.units()
    columns = [table.column(index).tolist() for index in range(len(COLUMNS))]
    return [
        Owned(tuple(None if code == MISSING else code for code in codes), *map(int, about))
        for codes, about in zip(
            zip(*columns, strict=True),
            zip(units.number, units.key, units.rank, units.size, strict=True),
            strict=True,
        )
    ]


@given(
    raw=questions(),
    rows=st.integers(1, 60),
    unit=st.sampled_from([PrivacyUnit(), PERSON]),
    kept=st.sampled_from([{"rows_per_group": 1}, {"groups": 1, "rows_per_group": 2}]),
)
def test_an_invented_table_is_answered_as_the_slow_reference_answers(
    raw: dict[str, object], rows: int, unit: PrivacyUnit, kept: dict[str, int]
) -> None:
    schema = schema_of(unit=unit)
    raw = raw | ({"per_unit": kept} if unit is PERSON else {})
    blueprint = blueprint_of(raw, schema)
    table = mock_table(blueprint.schema, rows)
    for request in blueprint.requests:
        assert mock_answer(table, request) == exact_answer(owned_rows(table), request)


def test_sizes_of_people_can_be_grouped_by() -> None:
    table = mock_table(schema_of(unit=PERSON), 200)
    sizes = CodeGrouping(ROWS_OF_UNIT, ((1, 1), (2, 2), (3, 3)))
    request = ExactRequest((), (sizes,), (Measure(MeasureKind.UNITS),))
    answer = mock_answer(table, request)
    assert answer == exact_answer(owned_rows(table), request)
    assert answer[-1] == (0,)
    assert all(count > 0 for (count,) in answer[:-1])


def test_the_same_declarations_always_give_the_same_rows_and_more_rows_begin_with_fewer() -> None:
    schema = schema_of(unit=PERSON)
    one, other = mock_table(schema, 50), mock_table(schema_of(unit=PERSON), 500)
    for index in range(len(COLUMNS)):
        assert one.column(index).tolist() == other.column(index).tolist()[:50]
    assert one.units().number.tolist() == other.units().number.tolist()[:50]


def test_the_rows_are_known_by_heart() -> None:
    """Notebooks that were written against them still fit after an upgrade."""
    table = mock_table(schema_of(), 5)
    known = [table.column(index).tolist() for index in range(len(COLUMNS))]
    assert known == KNOWN


def test_what_rows_are_invented_by_is_what_it_was() -> None:
    """How a domain reads as text, whatever classes are called: joint parties compare it, too."""
    assert [repr(spec.domain) for spec in COLUMNS] == DOMAINS


DOMAINS = [
    "NumericDomain(lower=Decimal('17'), upper=Decimal('9E+1'), step=Decimal('1'))",
    "NumericDomain(lower=Decimal('1'), upper=Decimal('99'), step=Decimal('1'))",
    "NumericDomain(lower=Decimal('-2.5'), upper=Decimal('1.5'), step=Decimal('0.25'))",
    "CategoryDomain(categories=('Female', 'Male'))",
    "DateDomain(lower=Decimal('0'), upper=Decimal('9'), step=Decimal('1'), "
    "unit=<Step.DAY: 'day'>, first=738941, layout='', zone='UTC')",
]
KNOWN = [
    [28, 29, 26, 25, 29],
    [44, 51, 61, 46, 47],
    [9, 5, 8, 8, 9],
    [0, 0, 0, 0, 0],
    [2, 2, 6, 6, 5],
]


def test_categories_are_as_unequal_as_groups_of_real_tables() -> None:
    """So that a trial shows what happens to small groups."""
    jobs = column_spec("job", category_domain(list("abcdefgh")), MissingRule.IMPUTE, "a")
    counts = np.bincount(mock_table(schema_of(jobs), 20_000).column(0), minlength=8)
    assert counts[0] > 100 * counts[7] > 0


def test_codes_stay_within_the_declared_domains() -> None:
    table = mock_table(schema_of(), 5_000)
    for index, spec in enumerate(COLUMNS):
        codes = table.column(index)
        categories = isinstance(spec.domain, CategoryDomain)
        top = spec.domain.other - 1 if isinstance(spec.domain, CategoryDomain) else spec.domain.top
        present = codes[codes != MISSING]
        assert present.min() >= 0
        assert present.max() <= top
        assert bool(np.any(codes == MISSING)) is spec.may_be_missing
        assert not categories or set(present.tolist()) == set(range(top + 1))


def test_no_invented_person_has_more_rows_than_are_allowed() -> None:
    units = mock_table(schema_of(unit=PrivacyUnit("person", 2)), 1_000).units()
    counts = np.bincount(units.number)
    assert counts.max() == 2
    assert (counts[units.number] == units.size).all()
    assert (units.rank < units.size).all()


@pytest.mark.parametrize(
    ("guess", "public", "rows"),
    [(None, None, 1_000), (None, 300, 300), (70, 300, 70), (10**9, None, MOST_ROWS)],
)
def test_the_number_of_rows_comes_from_what_is_public_or_guessed(
    guess: int | None, public: int | None, rows: int
) -> None:
    assert mock_rows(schema_of(public_rows=public), guess) == rows


@pytest.mark.parametrize("rows", [0, -1, MOST_ROWS + 1])
def test_a_table_of_another_size_is_refused(rows: int) -> None:
    with pytest.raises(ValueError, match="1 to 50000"):
        mock_table(schema_of(), rows)
