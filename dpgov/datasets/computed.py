"""Formulas of computed columns in words, and in a cell: `bins | age | 18 | 65`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.formula import Comparison, FormulaKind, formula_from

FORMULAS = {
    FormulaKind.DIFFERENCE: gettext_lazy("Difference of two columns"),
    FormulaKind.SUM: gettext_lazy("Sum of two columns"),
    FormulaKind.PRODUCT: gettext_lazy("Product of two columns"),
    FormulaKind.RATIO: gettext_lazy("Ratio of two columns"),
    FormulaKind.BINS: gettext_lazy("Bins of a column"),
    FormulaKind.FLAG: gettext_lazy("Flag: whether it is so"),
}
COMPARISONS = {
    Comparison.AMONG: gettext_lazy("is one of"),
    Comparison.EQUAL: gettext_lazy("is equal to"),
    Comparison.UNEQUAL: gettext_lazy("is not equal to"),
    Comparison.BELOW: gettext_lazy("is below"),
    Comparison.AT_MOST: gettext_lazy("is at most"),
    Comparison.ABOVE: gettext_lazy("is above"),
    Comparison.AT_LEAST: gettext_lazy("is at least"),
}
_OF_TWO = {
    FormulaKind.DIFFERENCE: gettext_lazy("computed: {first} minus {second}"),
    FormulaKind.SUM: gettext_lazy("computed: {first} plus {second}"),
    FormulaKind.PRODUCT: gettext_lazy("computed: {first} times {second}"),
    FormulaKind.RATIO: gettext_lazy("computed: {first} divided by {second}"),
}
_KINDS = tuple(kind.value for kind in FormulaKind)


def formula_words(kept: Mapping[str, Any]) -> str:
    """What a stored formula computes, in the reader's language; empty for a column of the file."""
    formula = formula_from(kept)
    if formula is None:
        return ""
    first, *others = formula.operands
    if formula.kind in _OF_TWO:
        return str(_OF_TWO[formula.kind]).format(first=first, second=others[0])
    constants = ", ".join(formula.constants)
    if formula.compares is None:
        return _("computed: bins of {column}, from {edges} on").format(
            column=first, edges=constants
        )
    return _("computed: whether {column} {compares} {values}").format(
        column=first, compares=COMPARISONS[formula.compares], values=constants
    )


def typed_formula(kept: Mapping[str, Any]) -> dict[str, str]:
    """A stored formula as it was typed in."""
    operands = [*kept["operands"], ""]
    return {
        "formula": kept["kind"],
        "first": operands[0],
        "second": operands[1],
        "compares": kept["compares"],
        "constants": "\n".join(kept["constants"]),
    }


def as_cell(typed: Mapping[str, str]) -> str:
    """What was typed, in one cell of a spreadsheet: between bars, or on lines if one has a bar."""
    kind = typed.get("formula", "")
    parts = [kind, typed.get("first", "")]
    if kind in _KINDS and FormulaKind(kind) in _OF_TWO:
        parts.append(typed.get("second", ""))
    if kind == FormulaKind.FLAG:
        parts.append(typed.get("compares", ""))
    if kind in (FormulaKind.BINS, FormulaKind.FLAG):
        parts += [line.strip() for line in typed.get("constants", "").splitlines() if line.strip()]
    return ("\n" if any("|" in part for part in parts) else " | ").join(parts)


def of_cell(parts: Sequence[str]) -> dict[str, str]:
    """The reverse, for the form to look at; empty where it begins with no kind of formula."""
    if not parts or parts[0].casefold() not in _KINDS:
        return {}
    kind, rest = FormulaKind(parts[0].casefold()), [*parts[1:], "", ""]
    fields = {"formula": kind.value, "first": rest[0], "second": "", "compares": ""}
    if kind in _OF_TWO:
        return fields | {"second": rest[1], "constants": ""}
    if kind is FormulaKind.FLAG:
        fields["compares"] = rest[1]
    begins = 2 if kind is FormulaKind.FLAG else 1
    return fields | {"constants": "\n".join(part for part in rest[begins:] if part)}
