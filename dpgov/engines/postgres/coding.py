"""A cell of the server as its lattice code, in SQL: the rules of `engines.ingest.values`.

Total: no cell makes an expression fail. A cast or a division is reached by no cell that it could
not take; a NaN is told apart by itself, as it is above every number for this database; a number
near zero is zero before it is divided, because a quotient that underflows is an error.
"""

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal

from psycopg import sql

from dpgov.engines.categories import names_by_code, names_of, word_case
from dpgov.engines.live import LONGEST_TRIMMED, SPACES, CellKind
from dpgov.engines.postgres.dates import date_code
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DateDomain, NumericDomain

# A search through so few names is faster than looking one up.
_FEW_NAMES = 16
# No table has so many rows that sums of these codes pass 64 bits.
_SMALL = 2**20
# The server asks whether a text is one of many by a hash of it.
_FEW_CODES = 4
# Up to here sums and differences of steps are exact as floats, in any order.
_EXACT = 2**50
# The server has whole numbers of 32 bits up to here, on both sides of zero.
_INT = 2**31 - 1


def code_of(cell: str, kind: CellKind, spec: ColumnSpec, alike: Sequence[int] | None = None) -> str:
    """The code of a cell, a whole number, null where it is missing. `cell` names its column.

    The column is of a file, not computed; its kind `fits`. With `alike`, a category has what stands
    for its code there.
    """
    if isinstance(spec.domain, CategoryDomain):
        found = _category_code(text_of(cell, kind), kind, spec.domain, alike)
    elif isinstance(spec.domain, DateDomain):
        found = date_code(cell, kind, spec.domain)
    else:
        found = _number_code(cell, kind, spec.domain)
    return or_imputed(found, spec)


def is_small(spec: ColumnSpec) -> bool:
    """Whether codes of this column are numbers of 32 bits, which add up in 64."""
    return spec.largest_code <= _SMALL


def or_imputed(code: str, spec: ColumnSpec) -> str:
    """The code by the column's rule for missing values, as a whole number that holds all of them.

    Small ones are added up in 64 bits, which takes the server less than sums of any size.
    """
    if spec.impute_code is not None:
        code = f"coalesce({code}, {spec.impute_code:d})"
    return f"({code})::{'int' if is_small(spec) else 'bigint'}"


def literal(text: str) -> str:
    """A text as a constant of SQL."""
    return sql.Literal(text).as_string()


def text_of(cell: str, kind: CellKind) -> str:
    """The cell as a text that is compared byte by byte, whatever its own collation says."""
    return f'{cell}::text COLLATE "C"' if kind is CellKind.TEXT else f"{cell}::text"


def trimmed(text: str) -> str:
    """The text without what is white space at its ends."""
    return f"btrim({text}, {literal(SPACES)})"


def is_long(text: str) -> str:
    """Whether a text is too long to be trimmed."""
    return f"octet_length({text}) > {LONGEST_TRIMMED}"


def is_any(text: str, names: Sequence[str]) -> str:
    """Whether it is one of these, of which there are some."""
    listed = ", ".join(map(literal, names))
    return f"{text} = {listed}" if len(names) == 1 else f"{text} = ANY (ARRAY[{listed}])"


def word_of(cell: str, domain: CategoryDomain) -> str:
    """A short text that has the code of the cell; see `word_case`."""
    return word_case(
        text_of(cell, CellKind.TEXT), domain, trimmed=trimmed, is_long=is_long, literal=literal
    )


def _category_code(
    text: str, kind: CellKind, domain: CategoryDomain, alike: Sequence[int] | None
) -> str:
    """First as it stands: most texts have nothing to trim."""
    names = names_of(domain, alike)
    other = domain.other if alike is None else alike[domain.other]
    if kind is not CellKind.TEXT:
        return f"CASE WHEN {text} IS NOT NULL THEN {_looked_up(text, names, str(other))} END"
    short = trimmed(text)
    rest = f"CASE {short} WHEN '' THEN NULL ELSE {_looked_up(short, names, str(other))} END"
    rest = f"CASE WHEN {is_long(text)} THEN {other} WHEN {text} IS NOT NULL THEN {rest} END"
    if len(names_by_code(names)) > _FEW_CODES and len(names) <= _FEW_NAMES:
        return f"coalesce({_searched(text, sorted(names.items()))}, {rest})"
    return _looked_up(text, names, rest)


def _searched(text: str, names: Sequence[tuple[str, int]]) -> str:
    """The code of a text among names in their order; null if it is none of them.

    The text is compared byte by byte, which is the order of characters in UTF-8 and of names here.
    """
    if len(names) <= _FEW_CODES:
        return f"CASE {text}{_whens(names)} END"
    middle = len(names) // 2
    low, high = (_searched(text, half) for half in (names[:middle], names[middle:]))
    return f"CASE WHEN {text} < {literal(names[middle][0])} THEN {low} ELSE {high} END"


def _whens(names: Iterable[tuple[str, int]]) -> str:
    return "".join(f" WHEN {literal(name)} THEN {code}" for name, code in names)


def _looked_up(text: str, names: dict[str, int], otherwise: str) -> str:
    groups = names_by_code(names)
    if len(groups) <= _FEW_CODES and len(groups) < len(names):
        arms = "".join(f" WHEN {is_any(text, group)} THEN {code}" for code, group in groups)
        return f"CASE{arms} ELSE {otherwise} END"
    if len(names) > _FEW_NAMES:
        table = literal(json.dumps(names, ensure_ascii=False))
        return f"coalesce(({table}::jsonb ->> {text})::bigint, {otherwise})"
    arms = _whens(names.items())
    return f"CASE {text}{arms} ELSE {otherwise} END" if arms else f"({otherwise})"


def _number_code(cell: str, kind: CellKind, domain: NumericDomain) -> str:
    is_short = kind in (CellKind.BOOLEAN, CellKind.SHORT)
    if is_short:
        cell = f"{cell}::int"
    if is_short or kind is CellKind.INTEGER:
        if domain.step == 1:
            is_short = is_short and _type_of_steps(domain) == "int"
            return _kept_within(cell, domain) if is_short else _shifted(cell, domain)
        cell = f"{cell}::float8"
    return _rounded(cell, "numeric" if kind is CellKind.NUMERIC else "float8", domain)


def _kept_within(cell: str, domain: NumericDomain) -> str:
    """Of 32 bits, as are all steps: by two functions that give null for null, and no branches."""
    kept = f"int4smaller(int4larger({cell}, {domain.lower_steps}), {domain.upper_steps})"
    return _from_lower(kept, domain)


def _shifted(cell: str, domain: NumericDomain) -> str:
    """Whole numbers on a lattice of whole numbers need no floats."""
    low, high = domain.lower_steps, domain.upper_steps
    code = _from_lower(f"{cell}::{_type_of_steps(domain)}", domain)
    return (
        f"CASE WHEN {cell} < {low} THEN 0 WHEN {cell} <= {high} THEN {code} "
        f"WHEN {cell} > {high} THEN {domain.top} END"
    )


def _type_of_steps(domain: NumericDomain) -> str:
    """Of a number of steps between the bounds, and of its distance from the lower one."""
    widest = max(abs(domain.lower_steps), abs(domain.upper_steps))
    return "int" if domain.top <= _SMALL and widest <= _INT else "bigint"


def _from_lower(steps: str, domain: NumericDomain) -> str:
    return f"{steps} - ({domain.lower_steps})" if domain.lower_steps else steps


def _rounded(cell: str, kind: str, domain: NumericDomain) -> str:
    """In the arithmetic of 64-bit floats, which is that of ingest, between the bounds alone."""
    # A quarter of a step is nothing, rounded; and it is far above what underflows.
    near = Decimal(domain.step) / 4
    ends = (domain.lower or near, domain.upper or -near, -near, near)
    low, high, below, above = (_constant(number, kind) for number in ends)
    if kind == "float8" and domain.lower >= 0:
        # What is below is the lower bound, or near zero: nothing to tell apart before dividing.
        code = _steps_in(domain, f"float8larger({cell}, {low})")
        return f"CASE WHEN {cell} < {high} THEN {code} {_missing_or_top(cell, kind, domain)}"
    zero = _steps_in(domain, "0.0::float8")
    is_zero = f"WHEN {cell} BETWEEN {below} AND {above} THEN {zero} "
    return (
        f"CASE WHEN {cell} <= {low} THEN {_steps_in(domain, _constant(domain.lower, 'float8'))} "
        f"{is_zero if domain.lower < 0 < domain.upper else ''}"
        f"WHEN {cell} < {high} THEN {_steps_in(domain, f'{cell}::float8')} "
        f"{_missing_or_top(cell, kind, domain)}"
    )


def _missing_or_top(cell: str, kind: str, domain: NumericDomain) -> str:
    """Of what is not below the upper bound, the rest of a case; a NaN is not, nor is a null."""
    top = _steps_in(domain, _constant(domain.upper, "float8"))
    return f"WHEN {cell} = 'NaN'::{kind} THEN NULL WHEN {cell} IS NOT NULL THEN {top} END"


def _steps_in(domain: NumericDomain, value: str) -> str:
    """A float between the bounds, counted in steps from the lower one; half goes to even."""
    quotient = f"{value} / {_constant(domain.step, 'float8')}"
    if max(abs(domain.lower_steps), abs(domain.upper_steps)) <= _EXACT:
        return _from_lower(f"({quotient})::{_type_of_steps(domain)}", domain)
    steps = f"(round({quotient}) - {_constant(Decimal(domain.lower_steps), 'float8')})::bigint"
    return f"least(greatest({steps}, 0), {domain.top})"


def _constant(number: Decimal, kind: str) -> str:
    """The nearest float, or the number itself."""
    return f"'{float(number)!r}'::float8" if kind == "float8" else f"'{number:f}'::numeric"
