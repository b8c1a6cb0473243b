"""Cells and declarations by which an engine could fail, wrap or differ, for every engine."""

from collections.abc import Sequence

from dpgov.engines.live import SPACES
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.domains import numeric_domain
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.request import (
    AnyOf,
    CodeFilter,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
)
from dpgov.privacy.plan.schema import ColumnSpec, NumericDomain
from tests.unit.engines.tables import category, number

NUMBERS = (
    ("0", "10", "1"),
    ("-1", "1", "0.1"),
    ("0.5", "2", "0.5"),
    ("-2", "0", "0.5"),
    ("-2000000", "2000000", "100"),
    ("-999999999999999", "999999999999999", "1"),
    ("-999999999999999", "999999999999999", "0.125"),
    ("-9000", "9000", "0.000000000001"),
)
HALVES = ("0.05", "0.15", "0.25", "0.35", "-0.25", "0.5", "1.5", "-1.5", "2.5", "50", "150", "250")
FLOATS = (
    *("nan", "inf", "-inf", "0.0", "-0.0", "5e-324", "-5e-324", "2.2250738585072014e-308"),
    *("1.7976931348623157e308", "-1.7976931348623157e308", "9007199254740993", "1e-300", "9.5"),
    *("0.49999999999999994", "1.9999999999999998", "-2.0000000000000004", "10.000000000000002"),
    *("4503599627370496.5", "-4503599627370497.5", "1234.5678901234565", "-8999.9999999999995"),
    *HALVES,
)
INTEGERS = (*map(str, (0, 1, -1, 9, 10, 11, 50, 150, 2**53 + 1, -(2**53) - 1)), str(2**63 - 1))
INTEGERS += (str(-(2**63)), "4503599627370497", "-4503599627370499", "500", "1500", "-2500")
NAMES = ("a", "b c", "o'hara", "\\", "%s", '{"$1": 2}', "Ω", "é", "true", "12", "nan")
TEXTS = (
    *NAMES,
    *("", "   ", SPACES, f"{SPACES}a{SPACES}", "A", "e\u0301", "a\u200b", "\u200ba", "\ufeff"),
    *(f"{space}b c{space}" for space in SPACES),
    *("🏳️‍🌈", "א", "'; DROP TABLE t; --", "$1", "a\nb", "\x01", "TRUE", "012", "ä" * 30_000),
)
MOMENTS = (
    *("0001-01-01 00:00:00", "0001-01-02 23:59:59.999999", "0001-01-03 00:00:00"),
    *("9999-12-29 23:59:59", "9999-12-30 00:00:00.5", "9999-12-30 00:00:01"),
    *("9999-12-31 23:59:59.999999", "infinity", "-infinity", "0044-03-15 BC"),
    # Clocks leave out and repeat an hour, half an hour, a day; and a zone before there were any.
    *("2024-03-31 00:59:59.999999", "2024-03-31 01:00:00", "2024-03-31 02:30:00"),
    *("2024-10-27 00:30:00", "2024-10-27 01:30:00", "2024-10-27 02:30:00"),
    *("2024-04-06 15:00:00", "2024-04-06 14:59:59", "2024-10-05 15:30:00"),
    *("2011-12-30 09:59:59", "2011-12-30 10:00:00", "2011-12-31 10:00:00"),
    *("1890-01-01 00:00:00", "1893-03-31 23:06:31", "1893-03-31 23:06:32", "2050-07-01 12:00:00"),
    *("1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2024-02-29 23:59:59.999999"),
)
SPANS = (("1890", "2060"), ("2023-12", "2024-10"), ("0001", "9999"))
ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns")
STEPS = ("hour", "day", "week", "month", "quarter", "year")


def computed_columns() -> tuple[list[ColumnSpec], list[ColumnSpec]]:
    """Two columns of numbers and one of texts; and what is computed of them, the texts last."""
    one = number("one", "-3", "7", "0.5", impute_code=3)
    other = number("other", "-2", "2", "0.25")
    town = category("town", "1", "0.5")

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

    ratios = [
        made(f"ratio {at}", FormulaKind.RATIO, pair, bounds=numeric_domain(*bounds))
        for at, (pair, bounds) in enumerate(
            [([one, other], ("-4", "4", "0.1")), ([other, one], ("-9", "-1", "0.5"))]
        )
    ]
    flags = [
        made(f"flag {compares}", FormulaKind.FLAG, [one], compares, ["0.5"])
        for compares in Comparison
        if compares is not Comparison.AMONG
    ]
    computed = [
        *ratios,
        *flags,
        made("less", FormulaKind.DIFFERENCE, [one, other]),
        made("more", FormulaKind.SUM, [one, other]),
        made("times", FormulaKind.PRODUCT, [one, other]),
        made("bins", FormulaKind.BINS, [other], None, ["-1", "0.25"]),
        made("among", FormulaKind.FLAG, [town], Comparison.AMONG, ["1"]),
    ]
    return [one, other, town], computed


def every_code(columns: int) -> ExactRequest:
    """A question that has to know each code of all these columns."""
    return ExactRequest((), (), tuple(Measure(MeasureKind.PRESENT, at) for at in range(columns)))


def asked_of_categories(column: int, categories: int) -> list[ExactRequest]:
    """Questions that need not know all codes of it: groups, and what conditions tell apart."""
    each = CodeGrouping(column, tuple((code, code) for code in range(categories + 1)))
    conditions: list[RowFilter] = [
        CodeFilter(column, ((code, code),), missing_passes=bool(code % 2))
        for code in range(categories + 1)
    ]
    conditions += [CodeFilter(column, ((1, 3), (5, categories)))]
    conditions += [AnyOf((CodeFilter(column, ((2, 4),)), CodeFilter(column, ((4, 6),))))]
    rows = (Measure(MeasureKind.ROWS),)
    coarse = CodeGrouping(column, ((0, 1),))
    return [
        ExactRequest((), (each,), rows),
        ExactRequest((), (coarse,) * 3, rows),
        ExactRequest((), (each,), (*rows, Measure(MeasureKind.PRESENT, column))),
        ExactRequest((conditions[1],), (each,), rows),
        *(ExactRequest((condition,), (), rows) for condition in conditions),
        ExactRequest((conditions[-2], conditions[-1]), (), rows),
    ]


def asked_of_computed(operand: int, computed: int) -> ExactRequest:
    """A condition that does not tell two codes apart, of which something else is made."""
    flags = CodeGrouping(computed, ((0, 0), (1, 1)))
    both = CodeFilter(operand, ((0, 1),))
    return ExactRequest((both,), (flags,), (Measure(MeasureKind.ROWS),))
