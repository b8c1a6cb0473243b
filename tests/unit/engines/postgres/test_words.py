"""D4, D6: rows of a person are put in order as words, and their codes come out of these again.

What could leak or overspend: a code that is another number after it was in a word, a word that
overflows and fails by a cell, rows that are kept by another order than that of their words.
"""

from collections.abc import Sequence
from itertools import product

from dpgov.engines.dialect import POSTGRES
from dpgov.engines.live import row_words, tops_of
from dpgov.engines.postgres.checking import checked
from dpgov.engines.postgres.rows import data_sql
from dpgov.engines.postgres.server import opened
from dpgov.engines.scan import compile_scan
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import category, number

# Two words, each filled to its last bit or nearly so.
TOPS = (2**32 - 2, 2**31 - 2, 0, 2**53, 2**20, 2**20 + 1)
COLUMNS = [number(f"n{place}", "0", str(top)) for place, top in enumerate(TOPS)]
ROWS = list(product(*([None, *{0, top}] for top in TOPS)))
NAMES = ", ".join(f"c{place}" for place in range(len(TOPS)))


def _kept(
    owner: Owner, columns: Sequence[ColumnSpec], read: Sequence[int], most: int
) -> list[tuple[int | None, ...]]:
    """Of the table `words` the codes that were read of the only person's rows, in their order."""
    measures = tuple(Measure(MeasureKind.PRESENT, place) for place in read)
    request = ExactRequest((), (), measures, UnitBounds(most))
    source = owner.source("words", columns, PrivacyUnit("id", len(ROWS)))
    key = owner.engine("words", columns, source.unit).order_key
    scan = compile_scan(request, tops_of(columns), POSTGRES)
    with opened(owner.server, [owner.server.address], 30) as connection:
        select = data_sql(source, checked(connection, source), scan)
        names = ", ".join(f"c{place}" for place in read)
        listed = f"SELECT {names} FROM ({select}) AS made ORDER BY r"
        return connection.execute(listed, (key,)).fetchall()


def _by_hand(owner: Owner, columns: Sequence[ColumnSpec]) -> list[tuple[int | None, ...]]:
    """The same of the table's codes, by the words that every engine makes of them."""
    key = owner.engine("words", columns, PrivacyUnit("id", len(ROWS))).order_key
    cells = ", ".join(f"{spec.name} AS c{place}" for place, spec in enumerate(columns))
    words, hashed = row_words(columns, range(len(columns))), "hashint8extended(7, $1::bigint)"
    for word in words:
        hashed = f"hashint8extended({word}, {hashed})"
    order = ", ".join([hashed, *words])
    asked = f"SELECT {NAMES} FROM (SELECT {cells} FROM words) AS codes ORDER BY {order}"
    return owner.admin.execute(asked, (key,)).fetchall()


def test_codes_come_out_of_words_as_they_went_in(owner: Owner) -> None:
    """D4, D6: missing, 0 and the largest of each, in the order of the words of every engine."""
    types = dict.fromkeys((spec.name for spec in COLUMNS), "bigint")
    owner.has("words", {"id": "integer", **types}, [(7, *row) for row in ROWS])
    assert len(row_words(COLUMNS, range(len(COLUMNS)))) > 1
    in_order = _by_hand(owner, COLUMNS)
    assert sorted(map(str, in_order)) == sorted(map(str, ROWS))
    assert _kept(owner, COLUMNS, range(len(COLUMNS)), len(ROWS)) == in_order
    # Whatever is read of them, and however few are kept: the first ones of the same order.
    assert _kept(owner, COLUMNS, [3], 5) == [(row[3],) for row in in_order[:5]]


def test_computed_columns_are_in_the_words(owner: Owner) -> None:
    """D4, D6: made of the codes of the row, missing where they are, and imputed where declared."""
    v, town = number("v", "0", "20", impute_code=4), category("town", "a", "b")
    formula = formula_of(FormulaKind.FLAG, [v], Comparison.AT_LEAST, ["5"])
    high = ColumnSpec("high", domain_of(formula, [v]), formula=formula)
    among = formula_of(FormulaKind.FLAG, [town], Comparison.AMONG, ["b"])
    is_b = ColumnSpec("is b", domain_of(among, [town]), formula=among)
    rows = [(7, 3, "a"), (7, 30, " b"), (7, None, "x"), (7, 5, None)]
    owner.has("words", {"id": "integer", "v": "integer", "town": "text"}, rows)
    kept = _kept(owner, [v, town, high, is_b], range(4), len(ROWS))
    assert sorted(map(str, kept)) == sorted(
        map(str, [(3, 0, 1, 1), (20, 1, 0, 0), (4, 2, 1, 1), (5, None, 0, None)])
    )
    by_high = CodeGrouping(2, ((0, 0), (1, 1)))
    total = (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 0))
    engine = owner.engine("words", [v, town, high, is_b], PrivacyUnit("id", 4))
    answer = engine.answer(ExactRequest((), (by_high,), total, UnitBounds(4)))
    assert answer == ((2, 25), (2, 7), (0, 0))
