"""Conditions on cells of the server as they stand, where no code has to be made to ask them.

By the rules of `coding`, and total like it. The server asks them before it makes the codes of a
row, and makes none of a row that does not pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index

from psycopg import sql

from dpgov.engines.categories import names_of
from dpgov.engines.live import WHOLE, CellKind
from dpgov.engines.postgres.coding import is_any, is_long, text_of, trimmed
from dpgov.privacy.plan.request import AllOf, AnyOf, CodeFilter, ExactRequest, RowFilter
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, NumericDomain


@dataclass(frozen=True, slots=True)
class Conditions:
    """Of a table with these declared columns, whose cells are of these kinds."""

    columns: Sequence[ColumnSpec]
    kinds: Mapping[str, CellKind]

    def of_cells(self, request: ExactRequest) -> tuple[RowFilter, ...]:
        """The filters that can be asked of cells: of texts as categories and of whole numbers.

        None where rows of a unit are chosen: what is kept of one must not depend on a filter.
        """
        if request.bounds is not None:
            return ()
        return tuple(item for item in request.filters if self._can_ask(item))

    def _can_ask(self, item: RowFilter) -> bool:
        if isinstance(item, AllOf | AnyOf):
            return all(map(self._can_ask, item.members))
        if not 0 <= item.column < len(self.columns):
            return False
        spec = self.columns[item.column]
        kind, domain = self.kinds.get(spec.name), spec.domain
        if spec.formula is not None:
            return False
        if isinstance(domain, CategoryDomain):
            return kind is CellKind.TEXT
        return kind in WHOLE and domain.step == 1

    def sql(self, item: RowFilter) -> str:
        """True where a row passes; false or null where it does not."""
        if isinstance(item, AllOf):
            return f"({' AND '.join(map(self.sql, item.members))})" if item.members else "TRUE"
        if isinstance(item, AnyOf):
            return f"({' OR '.join(map(self.sql, item.members))})" if item.members else "FALSE"
        spec = self.columns[item.column]
        cell = sql.Identifier("source", spec.name).as_string()
        missing = _missing_passes(item, spec)
        if isinstance(spec.domain, CategoryDomain):
            return _of_text(text_of(cell, CellKind.TEXT), item, spec.domain, missing=missing)
        found = _of_number(cell, item, spec.domain)
        return f"coalesce({found}, TRUE)" if missing else found


def _missing_passes(item: CodeFilter, spec: ColumnSpec) -> bool:
    return item.missing_passes if spec.impute_code is None else _passes(item, spec.impute_code)


def _passes(item: CodeFilter, code: int) -> bool:
    return any(low <= code <= high for low, high in item.ranges)


def _of_number(cell: str, item: CodeFilter, domain: NumericDomain) -> str:
    """Null of a null. Numbers beyond a bound have the code of the bound."""
    parts = [_between(cell, low, high, domain) for low, high in item.ranges]
    return f"({' OR '.join(parts)})" if parts else f"({cell} <> {cell})"


def _between(cell: str, low: int, high: int, domain: NumericDomain) -> str:
    first, top = domain.lower_steps, domain.top
    if low > high or low > top or high < 0:
        return f"{cell} <> {cell}"
    parts = [f"{cell} >= {index(first + low)}"] if low > 0 else []
    parts += [f"{cell} <= {index(first + high)}"] if high < top else []
    return f"({' AND '.join(parts)})" if parts else f"{cell} = {cell}"


def _of_text(text: str, item: CodeFilter, domain: CategoryDomain, *, missing: bool) -> str:
    """First as it stands: most texts are a category, or too short to be one with white space."""
    names = names_of(domain)
    passing = [name for name, code in names.items() if _passes(item, code)]
    failing = [name for name, code in names.items() if not _passes(item, code)]
    other, short = _truth(passes=_passes(item, domain.other)), trimmed(text)
    arms = _arms(text, passing)
    if passing and not missing and other == "FALSE":
        least = min(len(name.encode()) for name in passing)
        arms += f" WHEN octet_length({text}) <= {least} THEN FALSE"
    arms += _arms(text, failing, "FALSE")
    nothing = _truth(passes=missing)
    within = f"CASE WHEN {short} = '' THEN {nothing}{_arms(short, passing)}"
    within += f"{_arms(short, failing, 'FALSE')} ELSE {other} END"
    arms += f" WHEN {text} IS NULL THEN {nothing} WHEN {is_long(text)} THEN {other}"
    return f"CASE{arms} ELSE {within} END"


def _arms(text: str, names: Sequence[str], then: str = "TRUE") -> str:
    return f" WHEN {is_any(text, names)} THEN {then}" if names else ""


def _truth(*, passes: bool) -> str:
    return "TRUE" if passes else "FALSE"
