"""How a column is computed from others of the same row, as an owner declares it.

| kind | of | what it holds |
|---|---|---|
| difference | two number or two date columns | the first less the second; of dates in their step |
| sum | two number columns | both together |
| product | two number columns | one times the other |
| ratio | two number columns | the first divided by the second, within declared bounds |
| bins | a number or date column | a category between each two declared edges |
| flag | a column | whether it compares with a constant, or is one of some categories |

A formula is a declaration like bounds and categories: public, and never made from data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class FormulaKind(StrEnum):
    """What is computed."""

    DIFFERENCE = "difference"
    SUM = "sum"
    PRODUCT = "product"
    RATIO = "ratio"
    BINS = "bins"
    FLAG = "flag"


class Comparison(StrEnum):
    """How a flag compares its column with its constants."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    AMONG = "in"


@dataclass(frozen=True, slots=True)
class Formula:
    """`operands` are names of columns; `constants` the edges of bins, or what a flag compares with.

    Constants are texts in the one spelling that their column's domain has for them.
    """

    kind: FormulaKind
    operands: tuple[str, ...]
    compares: Comparison | None = None
    constants: tuple[str, ...] = ()

    def as_asked(self) -> dict[str, Any]:
        """As it stands in the plan of a question: of two columns, and no more."""
        return {"formula": self.kind.value, "of": list(self.operands)}

    def as_json(self) -> dict[str, Any]:
        """As it is stored and shown."""
        return {
            "kind": self.kind.value,
            "operands": list(self.operands),
            "compares": "" if self.compares is None else self.compares.value,
            "constants": list(self.constants),
        }


def formula_from(kept: Mapping[str, Any] | None) -> Formula | None:
    """What `as_json` made; None of nothing, which is what a column of the file has."""
    if not kept:
        return None
    compares = Comparison(kept["compares"]) if kept["compares"] else None
    constants = tuple(kept["constants"])
    return Formula(FormulaKind(kept["kind"]), tuple(kept["operands"]), compares, constants)
