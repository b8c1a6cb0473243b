"""Computed columns as they are declared: which formulas there are, and what they can hold.

A function of declarations alone: the domain of a difference, a sum or a product follows from the
two ranges (`spans`), bins and flags have their categories, a ratio has the bounds that its owner
declares. Every operand is a declared column of the file, so that nothing undeclared, and no name of
a person, gets into a value.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from dpgov.language.said import said
from dpgov.privacy.plan.computed.spans import DERIVED, derived_domain
from dpgov.privacy.plan.constants import code_range, constant_code, text_of
from dpgov.privacy.plan.domains import MAX_CATEGORIES, category_domain
from dpgov.privacy.plan.formula import Comparison, Formula, FormulaKind
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    InvalidDomain,
    NumericDomain,
)

MAX_COMPUTED = 50
YES, NO = "yes", "no"
# Formulas of two columns; of those in _NUMBERS neither holds dates.
TWO = (FormulaKind.DIFFERENCE, FormulaKind.SUM, FormulaKind.PRODUCT, FormulaKind.RATIO)
_NUMBERS = (FormulaKind.SUM, FormulaKind.PRODUCT, FormulaKind.RATIO)


def formula_of(
    kind: FormulaKind,
    operands: Sequence[ColumnSpec],
    compares: Comparison | None = None,
    constants: Sequence[str] = (),
) -> Formula:
    """A formula over these columns, its constants in their one spelling.

    Raises InvalidDomain naming "first", "second", "compares" or "constants".
    """
    _check_operands(kind, operands)
    names = tuple(spec.name for spec in operands)
    if kind in TWO:
        return Formula(kind, names)
    domain = operands[0].domain
    if kind is FormulaKind.BINS:
        return Formula(kind, names, None, _edges(domain, constants))
    return Formula(kind, names, *_compared(domain, compares, constants))


def _check_operands(kind: FormulaKind, operands: Sequence[ColumnSpec]) -> None:
    if len(operands) != (2 if kind in TWO else 1):
        raise InvalidDomain("second", said("Choose the second column."))
    for field, spec in zip(("first", "second"), operands, strict=False):
        if spec.formula is not None:
            raise InvalidDomain(field, _computed_itself(spec.name))
        if kind is not FormulaKind.FLAG and isinstance(spec.domain, CategoryDomain):
            raise InvalidDomain(field, said("“{column}” holds categories.", column=spec.name))
    if kind in _NUMBERS:
        _check_numbers(kind, operands)
    if kind is FormulaKind.DIFFERENCE:
        _check_alike(*operands)
    if kind in TWO and operands[0].name == operands[1].name:
        raise InvalidDomain("second", said("Choose two different columns."))


def _computed_itself(name: str) -> str:
    return said(
        "“{column}” is computed itself: choose a column of the file that is declared.", column=name
    )


def _check_numbers(kind: FormulaKind, operands: Sequence[ColumnSpec]) -> None:
    for field, spec in zip(("first", "second"), operands, strict=True):
        if isinstance(spec.domain, DateDomain):
            words = _of_dates(kind, spec.name)
            raise InvalidDomain(field, words)


def _of_dates(kind: FormulaKind, name: str) -> str:
    if kind is FormulaKind.SUM:
        return said("“{column}” holds dates, and a sum is of numbers.", column=name)
    if kind is FormulaKind.PRODUCT:
        return said("“{column}” holds dates, and a product is of numbers.", column=name)
    return said("“{column}” holds dates, and a ratio is of numbers.", column=name)


def _check_alike(one: ColumnSpec, other: ColumnSpec) -> None:
    first, second = one.domain, other.domain
    if isinstance(first, DateDomain) and isinstance(second, DateDomain):
        alike = first.unit is second.unit
    else:
        alike = not isinstance(first, DateDomain) and not isinstance(second, DateDomain)
    if not alike:
        raise InvalidDomain(
            "second",
            said(
                "“{first}” and “{second}” are not of one kind: take two columns of numbers, or of "
                "dates that are declared in the same step.",
                first=one.name,
                second=other.name,
            ),
        )


def _edges(domain: NumericDomain | CategoryDomain, typed: Sequence[str]) -> tuple[str, ...]:
    if not 1 <= len(typed) < MAX_CATEGORIES:
        words = said(
            "Give 1 to {most} edges, one per line, such as 18 and 65.", most=MAX_CATEGORIES - 1
        )
        raise InvalidDomain("constants", words)
    codes = [constant_code(domain, text) for text in typed]
    if any(after <= before for before, after in pairwise(codes)):
        raise InvalidDomain("constants", said("The edges must ascend, each one once."))
    if not codes[0]:
        words = said("An edge at the lower bound leaves nothing below it: leave it out.")
        raise InvalidDomain("constants", words)
    return tuple(text_of(domain, code) for code in codes)


def _compared(
    domain: NumericDomain | CategoryDomain, compares: Comparison | None, typed: Sequence[str]
) -> tuple[Comparison, tuple[str, ...]]:
    listed = isinstance(domain, CategoryDomain)
    if compares is None or listed != (compares is Comparison.AMONG):
        words = said("Of categories choose “is one of”; of numbers and dates one of the others.")
        raise InvalidDomain("compares", words)
    if not typed or (len(typed) > 1 and not listed):
        words = said("Give one value to compare with; of categories one or more, one per line.")
        raise InvalidDomain("constants", words)
    codes = sorted({constant_code(domain, text, whole=True) for text in typed})
    if isinstance(domain, NumericDomain):
        low, high = code_range(domain, compares, codes[0])
        if low > high or (low == 0 and high == domain.top):
            words = said("This would be the same for every row: choose another value.")
            raise InvalidDomain("constants", words)
    return compares, tuple(text_of(domain, code) for code in codes)


def domain_of(
    formula: Formula,
    operands: Sequence[ColumnSpec],
    *,
    names: Sequence[str] = (),
    bounds: NumericDomain | None = None,
) -> NumericDomain | CategoryDomain:
    """What the column can hold. `names` are of bins or of a flag's two ends, `bounds` of a ratio.

    Raises InvalidDomain naming "second", "categories" or "lower".
    """
    if formula.kind in DERIVED:
        return derived_domain(formula.kind, *(spec.domain for spec in operands))
    if formula.kind is FormulaKind.RATIO:
        if bounds is None or isinstance(bounds, DateDomain):
            raise InvalidDomain("lower", said("Declare from where to where the ratio goes."))
        return bounds
    made = _made_names(formula, operands[0].domain)
    if names and len(names) != len(made):
        words = said(
            "Name all {number} results in their order, one per line, or none.", number=len(made)
        )
        raise InvalidDomain("categories", words)
    return category_domain(names or made)


def _made_names(formula: Formula, domain: NumericDomain | CategoryDomain) -> list[str]:
    """What bins and flags are called where their owner calls them nothing."""
    if formula.kind is FormulaKind.FLAG or isinstance(domain, CategoryDomain):
        return [YES, NO]
    begins = [0, *(constant_code(domain, text) for text in formula.constants)]
    ends = [*(code - 1 for code in begins[1:]), domain.top]
    return [_bin_name(domain, *ends_of) for ends_of in zip(begins, ends, strict=True)]


def _bin_name(domain: NumericDomain, first: int, last: int) -> str:
    low, high = text_of(domain, first), text_of(domain, last)
    if first == last:
        return low
    plain = low.replace(".", "", 1).isdecimal() and high.replace(".", "", 1).isdecimal()
    return f"{low}-{high}" if plain else f"{low} - {high}"


def check_computed(spec: ColumnSpec, declared: Mapping[str, ColumnSpec]) -> None:
    """Raises InvalidDomain unless formula and domain are as they would be declared anew."""
    formula = spec.formula
    if formula is None:
        return
    operands = operands_of(formula, declared)
    made = formula_of(formula.kind, operands, formula.compares, formula.constants)
    domain = spec.domain
    listed = domain.categories if isinstance(domain, CategoryDomain) else ()
    bounds = domain if isinstance(domain, NumericDomain) else None
    if made != formula or domain_of(made, operands, names=listed, bounds=bounds) != domain:
        words = said(
            "“{column}” is declared otherwise than its formula computes it.", column=spec.name
        )
        raise InvalidDomain("columns", words)


def operands_of(formula: Formula, declared: Mapping[str, ColumnSpec]) -> list[ColumnSpec]:
    """The columns that it is computed from; raises InvalidDomain for one that is not declared."""
    for name in formula.operands:
        if name not in declared:
            raise InvalidDomain("columns", not_declared(name))
    return [declared[name] for name in formula.operands]


def not_declared(name: str) -> str:
    """A column that is left out has no bounds, so nothing can be computed from it."""
    return said("“{column}” is left out: declare it above to compute with it.", column=name)
