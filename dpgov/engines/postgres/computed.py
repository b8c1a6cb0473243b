"""Computed columns in SQL, from the codes of the same row, as `plan.computed.computing` has them.

Exact and total as there: a ratio is a quotient of whole numbers of any size, and a division by
zero is missing.
"""

from collections.abc import Sequence

from dpgov.engines.live import places_of
from dpgov.engines.of_two import bilinear_sql
from dpgov.engines.postgres.coding import or_imputed
from dpgov.privacy.plan.computed.computing import (
    Domain,
    above_and_below,
    bilinear,
    constants_of,
    numeric,
)
from dpgov.privacy.plan.constants import code_range
from dpgov.privacy.plan.formula import Comparison, Formula, FormulaKind
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec


def computed_code(number: int, columns: Sequence[ColumnSpec]) -> str:
    """The code of a computed column, made of columns c0..cN; null where it is missing."""
    spec, places = columns[number], places_of(number, columns)
    if spec.formula is None:
        raise ValueError(spec.name)
    domains = [columns[place].domain for place in places]
    compute = _COMPUTED[spec.formula.kind]
    codes = [f"c{place}" for place in places]
    return or_imputed(compute(spec.formula, spec.domain, domains, codes), spec)


def _of_two(
    formula: Formula, domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    return bilinear_sql(bilinear(formula.kind, domain, operands), *codes)


def _ratio(
    _formula: Formula, domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    """The nearest step, half of one to the even multiple, by division with a rest."""
    whole, parts = numeric(domain), above_and_below(domain, operands)
    above, below = (
        f"({start}::numeric + {code} * {step}::numeric)"
        for code, (start, step) in zip(codes, parts, strict=True)
    )
    signed = f"SELECT {above} * sign({below}) AS above, abs({below}) AS below"
    rest = f"SELECT *, mod(mod(above, below) + below, below) AS rest FROM ({signed}) AS signed"  # noqa: S608
    steps = f"SELECT *, div(above - rest, below) AS steps FROM ({rest}) AS divided"  # noqa: S608
    up = "2 * rest > below OR (2 * rest = below AND mod(steps, 2) <> 0)"
    code = f"steps - ({whole.lower_steps}) + CASE WHEN {up} THEN 1 ELSE 0 END"
    nearest = f"SELECT greatest(0, least({whole.top}, {code})) FROM ({steps}) AS rounded"  # noqa: S608
    return f"CASE WHEN {codes[0]} IS NOT NULL AND {below} <> 0 THEN ({nearest}) END"


def _bins(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    return f"width_bucket({codes[0]}, {_array(constants_of(formula, operands[0]))})"


def _flag(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    """0 is the first category, that of rows for which it is so."""
    code, operand, constants = codes[0], operands[0], constants_of(formula, operands[0])
    if formula.compares is None or isinstance(operand, CategoryDomain):
        is_so = f"{code} = ANY ({_array(constants)})"
    else:
        low, high = code_range(operand, formula.compares, constants[0])
        turned = "NOT " if formula.compares is Comparison.UNEQUAL else ""
        is_so = f"{turned}{code} BETWEEN {low} AND {high}"
    return f"CASE WHEN {is_so} THEN 0 WHEN {code} IS NOT NULL THEN 1 END"


def _array(numbers: Sequence[int]) -> str:
    return f"'{{{','.join(map(str, numbers))}}}'::bigint[]"


_COMPUTED = {
    **dict.fromkeys((FormulaKind.DIFFERENCE, FormulaKind.SUM, FormulaKind.PRODUCT), _of_two),
    FormulaKind.RATIO: _ratio,
    FormulaKind.BINS: _bins,
    FormulaKind.FLAG: _flag,
}
