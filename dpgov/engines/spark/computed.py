"""Computed columns in SQL, from the codes of the same row, as `plan.computed.computing` has them.

Exact and total as there, in 64 bits: a formula whose numbers could be larger is refused by its
declaration. A division by zero is missing.
"""

from collections.abc import Sequence

from dpgov.engines.live import places_of
from dpgov.engines.of_two import bilinear_sql
from dpgov.engines.spark.coding import or_imputed
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

# Twice a rest, and a number less its rest, fit 64 bits for all that are below this.
_LARGEST = 2**61


def computed_code(number: int, columns: Sequence[ColumnSpec]) -> str:
    """The code of a computed column, made of columns c0..cN; null where it is missing."""
    spec, domains = columns[number], _operands(number, columns)
    if spec.formula is None:
        raise ValueError(spec.name)
    compute = _COMPUTED[spec.formula.kind]
    codes = [f"c{place}" for place in places_of(number, columns)]
    return or_imputed(compute(spec.formula, spec.domain, domains, codes), spec)


def is_within_reach(number: int, columns: Sequence[ColumnSpec]) -> bool:
    """Whether no number that the column is computed with can be too large, by its declaration."""
    spec, domains = columns[number], _operands(number, columns)
    if spec.formula is None or spec.formula.kind is not FormulaKind.RATIO:
        return True
    parts = zip(above_and_below(spec.domain, domains), domains, strict=True)
    ends = (abs(begin + code * step) for (begin, step), d in parts for code in (0, numeric(d).top))
    return max(ends) < _LARGEST


def _operands(number: int, columns: Sequence[ColumnSpec]) -> list[Domain]:
    return [columns[place].domain for place in places_of(number, columns)]


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
        f"({start}L + {code} * {step}L)" for code, (start, step) in zip(codes, parts, strict=True)
    )
    signed = f"(CASE WHEN {below} < 0 THEN -{above} ELSE {above} END)"
    # Null where it is 0: nothing is ever divided by that, in whatever order this is computed.
    size = f"nullif(abs({below}), 0L)"
    rest = f"pmod({signed}, {size})"
    steps = f"(({signed} - {rest}) div {size})"
    up = f"2 * {rest} > {size} OR (2 * {rest} = {size} AND {steps} % 2 <> 0)"
    code = f"({steps} - ({whole.lower_steps}) + CASE WHEN {up} THEN 1 ELSE 0 END)"
    # Null stays null, over which least and greatest would pass.
    return f"CASE WHEN {code} < 0 THEN 0 WHEN {code} > {whole.top} THEN {whole.top} ELSE {code} END"


def _bins(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    edges = constants_of(formula, operands[0])
    arms = "".join(f" WHEN {codes[0]} < {edge} THEN {at}" for at, edge in enumerate(edges))
    return f"CASE{arms} WHEN {codes[0]} IS NOT NULL THEN {len(edges)} END"


def _flag(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[str]
) -> str:
    """0 is the first category, that of rows for which it is so."""
    code, operand, constants = codes[0], operands[0], constants_of(formula, operands[0])
    if formula.compares is None or isinstance(operand, CategoryDomain):
        is_so = f"{code} IN ({', '.join(map(str, constants))})"
    else:
        low, high = code_range(operand, formula.compares, constants[0])
        turned = "NOT " if formula.compares is Comparison.UNEQUAL else ""
        is_so = f"{turned}{code} BETWEEN {low} AND {high}"
    return f"CASE WHEN {is_so} THEN 0 WHEN {code} IS NOT NULL THEN 1 END"


_COMPUTED = {
    **dict.fromkeys((FormulaKind.DIFFERENCE, FormulaKind.SUM, FormulaKind.PRODUCT), _of_two),
    FormulaKind.RATIO: _ratio,
    FormulaKind.BINS: _bins,
    FormulaKind.FLAG: _flag,
}
