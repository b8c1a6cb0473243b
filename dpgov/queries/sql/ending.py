"""How a text ends: WITH EPSILON 0.5, and what is used of each unit, ROWS_PER_GROUP 1."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy
from sqlglot.tokenizer_core import Token, TokenType

from dpgov.queries.sql.text import Place, RefusedSql, SqlProblem, Text

PER_UNIT = {"GROUPS_PER_UNIT": "groups", "ROWS_PER_GROUP": "rows_per_group"}
_PRICES = ("epsilon", "rho")
_NO_PRICE = gettext_lazy("End with the price, like WITH EPSILON 0.5.")
_PAIR = 2
# Of more than this no unit has as many rows; the plan refuses what stays a text.
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(slots=True)
class Ending:
    """What goes into the raw plan, where each part of it stands, and where the ending begins."""

    start: int | None = None
    raw: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def add(self, name: Token, amount: Token, source: Text) -> None:
        """One name and its number. Raises RefusedSql."""
        kind, place = name.text.lower(), source.place(amount.start)
        limit = PER_UNIT.get(name.text.upper())
        if limit is not None:
            number = int(amount.text) if _WHOLE.fullmatch(amount.text) else amount.text
            self.raw.setdefault("per_unit", {})[limit] = number
            self.places |= {"per_unit": place, f"per_unit.{limit}": place}
        elif kind in _PRICES and not self.is_priced:
            self.raw[kind], self.places[kind] = amount.text, place
        else:
            raise RefusedSql(SqlProblem(*source.place(name.start), str(_NO_PRICE)))

    @property
    def is_priced(self) -> bool:
        """Whether an amount was named."""
        return any(kind in self.raw for kind in _PRICES)


def read_ending(
    tokens: Sequence[Token], text: str, source: Text, beside: Mapping[str, str] | None
) -> Ending:
    """What stands after the last WITH; a price that stands beside the text holds without one.

    Raises RefusedSql.
    """
    places = [at for at, token in enumerate(tokens) if at and token.token_type is TokenType.WITH]
    found = Ending(tokens[places[-1]].start) if places else Ending()
    for pair in _pairs(tokens[places[-1] + 1 :]) if places else ():
        if len(pair) != _PAIR or pair[1].token_type is not TokenType.NUMBER:
            raise _without(text, source)
        found.add(pair[0], pair[1], source)
    if not found.is_priced:
        if not beside:
            raise _without(text, source)
        found.raw |= beside
        found.places[next(iter(beside))] = 1, 1
    return found


def _pairs(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas."""
    pairs: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.COMMA:
            pairs.append([])
        else:
            pairs[-1].append(token)
    return pairs


def _without(text: str, source: Text) -> RefusedSql:
    return RefusedSql(SqlProblem(*source.place(len(text.rstrip())), str(_NO_PRICE)))
