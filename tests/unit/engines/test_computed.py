"""D9: computed columns as they are stored, and that they change nothing of whose data it is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Before, UnitNames, columns_as_json, columns_of
from dpgov.engines.likeness import Likeness, likeness
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.domains import numeric_domain
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule, NumericDomain
from tests.unit.engines.tables import category, ingest_here, number, stored_codes, write_csv

NAMES = ["id", "a", "b", "town", "note"]
A, B, TOWN = number("a", "0", "10"), number("b", "0", "5"), category("town", "x", "y")
RATIO_BOUNDS = numeric_domain("0", "4", "0.5")


def made(
    name: str,
    kind: FormulaKind,
    operands: Sequence[ColumnSpec],
    compares: Comparison | None = None,
    constants: Sequence[str] = (),
    bounds: NumericDomain | None = None,
) -> ColumnSpec:
    formula = formula_of(kind, operands, compares, constants)
    return ColumnSpec(name, domain_of(formula, operands, bounds=bounds), formula=formula)


LESS = made("less", FormulaKind.DIFFERENCE, [A, B])
SHARE = made("share", FormulaKind.RATIO, [A, B], bounds=RATIO_BOUNDS)
GROUP = made("group", FormulaKind.BINS, [A], constants=["5"])
IN_X = made("in x", FormulaKind.FLAG, [TOWN], Comparison.AMONG, ["x"])
COLUMNS = (A, B, TOWN, LESS, SHARE, GROUP, IN_X)
ROWS = [
    ("p1", "4", "2", "x", "n1"),
    ("p2", "999", "-7", "y", "n2"),
    ("p3", "inf", "2.4", "z", "n3"),
    ("p4", "", "2", "", "n4"),
    ("p5", "n/a", "NaN", "x ", "n5"),
    ("p1", "1e400", "-0.0", "x", "n6"),
    ("p1", "3", "2", "y", "n7"),
]


def test_computed_codes_follow_the_stored_ones_of_the_same_row(tmp_path: Path) -> None:
    """D9: clipped, rounded and missing as the columns are that they are computed from."""
    source = write_csv(tmp_path / "t.csv", NAMES, ROWS)
    ingest_here(source, columns_of(columns_as_json(COLUMNS)))
    assert stored_codes(source) == [
        # The code of a difference is counted from -5, that of a ratio in halves.
        (4, 2, 0, 4 - 2 + 5, 4, 0, 0),
        (10, 0, 1, 15, None, 1, 1),
        (10, 2, 2, 13, 8, 1, 1),
        (None, 2, None, None, None, None, None),
        (None, None, 0, None, None, None, 0),
        (10, 0, 0, 15, None, 1, 0),
        (3, 2, 1, 6, 3, 0, 1),
    ]


def test_sums_and_products_are_of_what_is_kept(tmp_path: Path) -> None:
    """D9: clipped and rounded first; missing where one is."""
    below = number("b", "-5", "5")
    both, times = (
        made("both", FormulaKind.SUM, [A, below]),
        made("x", FormulaKind.PRODUCT, [A, below]),
    )
    source = write_csv(tmp_path / "t.csv", NAMES, ROWS)
    ingest_here(source, columns_of(columns_as_json((A, below, both, times))))
    # A sum is counted from -5, a product from -50.
    assert [row[2:] for row in stored_codes(source)] == [
        (4 + 2 + 5, 8 + 50),
        (10 - 5 + 5, -50 + 50),
        (10 + 2 + 5, 20 + 50),
        (None, None),
        (None, None),
        (10 + 0 + 5, 0 + 50),
        (3 + 2 + 5, 6 + 50),
    ]


def test_what_is_missing_follows_the_rule_of_the_computed_column(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "t.csv", NAMES, ROWS)
    imputed = replace(SHARE, missing=MissingRule.IMPUTE, impute_code=1)
    ingest_here(source, (A, B, imputed))
    assert [row[2] for row in stored_codes(source)] == [4, 1, 8, 1, 1, 1, 3]
    with pytest.raises(Refused, match="in some rows it cannot be computed") as refused:
        ingest_here(source, (A, B, replace(SHARE, missing=MissingRule.REQUIRE)))
    assert refused.value.column == "share"


def test_a_value_in_place_of_a_missing_one_is_computed_with(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "t.csv", NAMES, [("p", "", "2", "x", "n")])
    ingest_here(source, (number("a", "0", "10", impute_code=9), B, LESS))
    assert stored_codes(source) == [(9, 2, 9 - 2 + 5)]


def test_the_same_file_is_recognised_whatever_is_computed_from_it(tmp_path: Path) -> None:
    """F9, F11, D9: a computed column is in no file, so it makes no file look new."""
    plain = ingest_here(write_csv(tmp_path / "1.csv", NAMES, ROWS), (A, B, TOWN))
    more = ingest_here(write_csv(tmp_path / "2.csv", NAMES, ROWS), COLUMNS)
    assert likeness(plain.fingerprint, more.fingerprint) is Likeness.EXACT
    assert plain.fingerprint.whole == more.fingerprint.whole
    assert plain.fingerprint.rows.digest == more.fingerprint.rows.digest


def test_the_same_rows_of_a_person_count_whatever_is_computed_from_them(tmp_path: Path) -> None:
    """L2, D9: their order is that of the columns of the file."""
    found = []
    for name, columns in (("1", (A, B, TOWN)), ("2", COLUMNS)):
        source = write_csv(tmp_path / f"{name}.csv", NAMES, ROWS)
        ingest_here(source, columns, unit=UnitNames("id"))
        with duckdb.connect(str(source.with_suffix(".duckdb")), read_only=True) as connection:
            sql = "SELECT k, r, n, c0, c1, c2 FROM data ORDER BY k, r"
            found.append(connection.execute(sql).fetchall())
    assert found[0] == found[1]


def test_added_rows_are_computed_as_in_one_file_of_all(tmp_path: Path) -> None:
    """L2, D9: what was stored before stands as it would be computed again."""
    first = write_csv(tmp_path / "1.csv", NAMES, ROWS[:3])
    ingest_here(first, COLUMNS)
    places = tuple((place, 2 if place == 2 else None) for place in range(5))
    before = Before(str(first.with_suffix(".duckdb")), (*places, (5, 2), (6, 2)))
    second = write_csv(tmp_path / "2.csv", NAMES, ROWS[3:])
    ingest_here(second, COLUMNS, before=before)
    whole = write_csv(tmp_path / "3.csv", NAMES, ROWS)
    ingest_here(whole, COLUMNS)
    assert stored_codes(second) == stored_codes(whole)
