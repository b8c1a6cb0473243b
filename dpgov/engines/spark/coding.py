"""A cell of Spark as its lattice code, in SQL: the rules of `engines.ingest.values`.

Total: no cell makes an expression fail, although the session is in ANSI mode, in which casts and
overflows raise. A number is compared with the bounds before it is divided, and rounded half to even
before it is cast: the cast alone would cut off. Every text of ours is written as bytes, so that no
quote and no escape can mean anything.
"""

from collections.abc import Sequence
from decimal import Decimal

from dpgov.engines.categories import names_by_code, names_of, word_case
from dpgov.engines.live import LONGEST_TRIMMED, SPACES, CellKind
from dpgov.engines.spark.dates import date_code
from dpgov.engines.spark.words import literal
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DateDomain, NumericDomain

# A search through so few names is faster than looking one up.
_FEW_NAMES = 16
# Whether a text is one of many is asked by a hash of it.
_FEW_CODES = 4
# Up to here sums and differences of steps are exact as floats, in any order.
_EXACT = 2**50


def code_of(cell: str, kind: CellKind, spec: ColumnSpec, alike: Sequence[int] | None = None) -> str:
    """The code of a cell as a bigint, null where it is missing. `cell` names the source's column.

    The column is of a file, not computed; its kind `fits`. With `alike`, a category has what stands
    for its code there.
    """
    if isinstance(spec.domain, CategoryDomain):
        found = _category_code(cell, kind, spec.domain, alike)
    elif isinstance(spec.domain, DateDomain):
        found = date_code(cell, kind, spec.domain)
    else:
        found = _number_code(cell, kind, spec.domain)
    return or_imputed(found, spec)


def or_imputed(code: str, spec: ColumnSpec) -> str:
    """The code by the column's rule for missing values, as a bigint."""
    if spec.impute_code is not None:
        code = f"coalesce({code}, {spec.impute_code:d})"
    return f"CAST({code} AS BIGINT)"


def trimmed(text: str) -> str:
    """The text without what is white space at its ends; bytes that are no text are put right."""
    return f"trim(BOTH {literal(SPACES)} FROM make_valid_utf8({text}))"


def is_long(text: str) -> str:
    """Whether a text is too long to be trimmed."""
    return f"octet_length({text}) > {LONGEST_TRIMMED}"


def word_of(cell: str, domain: CategoryDomain) -> str:
    """A short text that has the code of the cell; see `word_case`."""
    return word_case(cell, domain, trimmed=trimmed, is_long=is_long, literal=literal)


def _category_code(
    cell: str, kind: CellKind, domain: CategoryDomain, alike: Sequence[int] | None
) -> str:
    """First as it stands: most texts have nothing to trim."""
    names = names_of(domain, alike)
    other = domain.other if alike is None else alike[domain.other]
    if kind is not CellKind.TEXT:
        text = f"CAST({cell} AS STRING)"
        return f"CASE WHEN {cell} IS NOT NULL THEN {_looked_up(text, names, str(other))} END"
    short = trimmed(cell)
    rest = f"CASE WHEN {short} = '' THEN NULL ELSE {_looked_up(short, names, str(other))} END"
    rest = f"CASE WHEN {is_long(cell)} THEN {other} WHEN {cell} IS NOT NULL THEN {rest} END"
    return _looked_up(cell, names, rest)


def _looked_up(text: str, names: dict[str, int], otherwise: str) -> str:
    groups = names_by_code(names)
    if len(groups) <= _FEW_CODES and len(groups) < len(names):
        arms = "".join(
            f" WHEN {text} IN ({', '.join(map(literal, group))}) THEN {code}"
            for code, group in groups
        )
        return f"CASE{arms} ELSE {otherwise} END"
    if len(names) > _FEW_NAMES:
        table = ", ".join(f"{literal(name)}, {code}" for name, code in names.items())
        return f"coalesce(try_element_at(map({table}), {text}), {otherwise})"
    arms = "".join(f" WHEN {literal(name)} THEN {code}" for name, code in names.items())
    return f"CASE {text}{arms} ELSE {otherwise} END" if arms else f"({otherwise})"


def _number_code(cell: str, kind: CellKind, domain: NumericDomain) -> str:
    if kind is CellKind.BOOLEAN:
        cell = f"CAST({cell} AS INT)"
    if kind in (CellKind.BOOLEAN, CellKind.INTEGER) and domain.step == 1:
        return _shifted(cell, domain)
    return _rounded(cell if kind is CellKind.FLOAT else f"CAST({cell} AS DOUBLE)", domain)


def _shifted(cell: str, domain: NumericDomain) -> str:
    """Whole numbers on a lattice of whole numbers need no floats."""
    low, high = domain.lower_steps, domain.upper_steps
    return (
        f"CASE WHEN {cell} < {low} THEN 0 WHEN {cell} <= {high} THEN CAST({cell} AS BIGINT) - "
        f"({low}) WHEN {cell} > {high} THEN {domain.top} END"
    )


def _rounded(cell: str, domain: NumericDomain) -> str:
    """In the arithmetic of 64-bit floats, which is that of ingest, between the bounds alone.

    A NaN is above every number here, hence asked for before the upper bound.
    """
    low, high = _constant(domain.lower), _constant(domain.upper)
    return (
        f"CASE WHEN {cell} <= {low} THEN {_end(domain, domain.lower)} "
        f"WHEN {cell} < {high} THEN {_steps_in(domain, cell)} "
        f"WHEN isnan({cell}) THEN NULL "
        f"WHEN {cell} >= {high} THEN {_end(domain, domain.upper)} END"
    )


def _steps_in(domain: NumericDomain, value: str) -> str:
    """A float between the bounds, counted in steps from the lower one; half goes to even."""
    steps = f"rint({value} / {_constant(domain.step)})"
    if max(abs(domain.lower_steps), abs(domain.upper_steps)) <= _EXACT:
        return f"CAST({steps} AS BIGINT) - ({domain.lower_steps})"
    shifted = f"{steps} - {_constant(Decimal(domain.lower_steps))}"
    return f"CAST(least(greatest({shifted}, 0.0D), {_constant(Decimal(domain.top))}) AS BIGINT)"


def _end(domain: NumericDomain, bound: Decimal) -> int:
    """The code of a bound, as it comes out in floats."""
    steps = float(round(float(bound) / float(domain.step))) - float(domain.lower_steps)
    return int(min(max(steps, 0.0), float(domain.top)))


def _constant(number: Decimal) -> str:
    """The nearest float."""
    return f"({float(number)!r}D)"
