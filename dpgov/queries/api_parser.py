"""JSON as the API reads it: exactly, and refusing what has more than one meaning.

0.1 stays 0.1 (never a float), and a body that two readers could read differently is not JSON here.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import IO, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class ExactJSONParser(JSONParser):
    """JSON in UTF-8, numbers exact; no NaN, infinities, repeated keys or broken characters."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The parsed body; raises ParseError (400) with what is wrong."""
        try:
            body = json.loads(
                stream.read().decode("utf-8"),
                parse_float=Decimal,
                parse_constant=_refuse_constant,
                object_pairs_hook=_without_repeats,
            )
            # Half a character cannot be stored or sent back.
            json.dumps(body, default=str, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as problem:
            raise ParseError(f"The body is not usable JSON: {_reason(problem)}") from problem
        return body


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _reason(problem: Exception) -> str:
    if isinstance(problem, RecursionError):
        return "it is nested too deeply."
    if isinstance(problem, UnicodeError):
        return "it holds broken characters."
    return f"{str(problem)[:200]}."
