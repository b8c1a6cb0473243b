"""Names and numbers in a text of SQL."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.sql.refusal import Text


class Names:
    """Reads the columns and constants of one text. `private_id` names the privacy unit, if any."""

    def __init__(self, text: Text, columns: Sequence[str], private_id: str | None) -> None:
        self.text, self.private_id = text, private_id
        self._exact = set(columns)
        self._folded = {name.casefold(): name for name in columns}

    def name(self, node: exp.Expr) -> str:
        """The name that a column stands for; letters' case counts only between quotes."""
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            raise self.text.refused(node, _("Name a column here, nothing else."))
        name = node.this.name
        if name in self._exact or node.this.quoted:
            return name
        if self.private_id and name.casefold() == self.private_id.casefold():
            return self.private_id
        return self._folded.get(name.casefold(), name)

    def column(self, node: exp.Expr) -> str:
        """The column inside a function."""
        return self.name(node)

    def number(self, node: exp.Expr) -> str:
        """A plain number as its text."""
        sign, inner = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return f"{sign}{inner.name}"
        raise self.text.refused(node, _("Write a plain number here."))

    def constant(self, node: exp.Expr) -> str:
        """A number or a text between single quotes, as a plan's value."""
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.this)
        if isinstance(node, exp.Boolean):
            return "true" if node.this else "false"
        return self.number(node)
