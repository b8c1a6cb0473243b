"""JSON as every door reads it: exactly, and refusing what has more than one meaning.

0.1 stays 0.1 (never a float), and a text that two readers could read differently is not JSON here.
How deep a text is nested is found before anything is read, in one pass without recursion.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

DEEPEST = 50
# A text (to its end, or to the end of everything), or a bracket.
_PIECES = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


class UnusableJson(ValueError):
    """The text is none that is read here; `str` says why and holds little of the text."""


def read_json(text: str) -> Any:
    """The value, numbers exact; no NaN, infinities, repeated keys, half characters or deep nesting.

    Raises UnusableJson.
    """
    _check_depth(text)
    try:
        value = json.loads(
            text,
            parse_float=_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_without_repeats,
        )
        # Half a character cannot be stored or sent back.
        json.dumps(value, default=str, ensure_ascii=False).encode()
    except UnicodeError as problem:
        raise UnusableJson("it holds broken characters.") from problem
    except ValueError as problem:
        raise UnusableJson(f"{str(problem)[:200]}.") from problem
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for piece in _PIECES.finditer(text):
        bracket = piece.group()
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > DEEPEST:
            raise UnusableJson("it is nested too deeply.")


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("a number has too large an exponent") from None


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found
