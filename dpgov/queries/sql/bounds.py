"""How long and how deep a text of SQL may be: known before its parser, which recurses, sees it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from sqlglot.tokenizer_core import Token, TokenType

from dpgov.queries.sql.text import RefusedSql, SqlProblem, Text

LONGEST = 20_000
DEEPEST = 20
MOST_CONDITIONS = 200
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_JOINING = {TokenType.AND, TokenType.OR}
# Words that make what follows one level deeper, without a bracket.
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE}
_STATEMENTS = {TokenType.SELECT, TokenType.WITH, TokenType.UNION, TokenType.EXCEPT}


def check_length(text: str) -> None:
    """Raises RefusedSql where there is more text than any question needs."""
    if len(text) > LONGEST:
        raise RefusedSql(
            SqlProblem(1, 1, _("The text is longer than {most} characters.").format(most=LONGEST))
        )


def check_depth(tokens: Sequence[Token], source: Text) -> None:
    """Raises RefusedSql at the place where the text becomes deeper or longer than is read."""
    depth = prefixes = joined = statements = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        prefixes = prefixes + 1 if kind in _PREFIXES else 0
        joined += kind in _JOINING
        statements += kind in _STATEMENTS
        if depth + prefixes > DEEPEST or statements > DEEPEST:
            raise _refused(token, source, too_deep())
        if joined > MOST_CONDITIONS:
            raise _refused(
                token, source, _("At most {most} conditions are read.").format(most=MOST_CONDITIONS)
            )


def closes_its_brackets(tokens: Sequence[Token]) -> bool:
    """Whether every round bracket is closed, and none before it is opened."""
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0:
            return False
    return depth == 0


def too_deep() -> str:
    """The words for a text that nests too much."""
    return _("The text is nested too deeply.")


def _refused(token: Token, source: Text, message: str) -> RefusedSql:
    return RefusedSql(SqlProblem(*source.place(token.start), message))
