"""Arithmetic of two columns inside a function or a comparison: a + b, a - b, a * b.

Each becomes a column of the question alone (`plan.computed.asked`), and is named as that is.
"""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.language.translation import translated
from dpgov.privacy.plan.computed.asked import in_order, name_of
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.parsing.computed import no_ratio
from dpgov.queries.sql.text import NameReader

KINDS: dict[type[exp.Expr], FormulaKind] = {
    exp.Add: FormulaKind.SUM,
    exp.Sub: FormulaKind.DIFFERENCE,
    exp.Mul: FormulaKind.PRODUCT,
}
ARITHMETIC = (*KINDS, exp.Div)


class Computing(NameReader):
    """Names, and in `computed` each formula of the text with the piece of it where it stands."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.computed: dict[Formula, exp.Expr] = {}

    def name(self, node: exp.Expr) -> str:
        """The name of a column, or of what is computed of two. Raises RefusedSql."""
        inner = node.unnest()
        if not isinstance(inner, ARITHMETIC):
            return super().name(inner)
        kind = KINDS.get(type(inner))
        if kind is None:
            raise self.text.refused(inner, translated(no_ratio()))
        sides = [side.unnest() for side in (inner.this, inner.expression)]
        if not all(isinstance(side, exp.Column) for side in sides):
            words = _("Compute with two columns and nothing else: a + b, a - b or a * b.")
            raise self.text.refused(inner, words)
        names = [super(Computing, self).name(side) for side in sides]
        formula = Formula(kind, in_order(kind, names, self.columns))
        self.computed.setdefault(formula, inner)
        return name_of(formula)
