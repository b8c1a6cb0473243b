"""The bodies that the API takes."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from dpgov.operation.exact_json import UnusableJson, read_json


class ExactJSONParser(JSONParser):
    """JSON in UTF-8, read exactly."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The parsed body; raises ParseError (400) with what is wrong."""
        try:
            return read_json(stream.read().decode("utf-8"))
        except UnicodeError as problem:
            raise ParseError(
                "The body is not usable JSON: it holds broken characters."
            ) from problem
        except UnusableJson as problem:
            raise ParseError(f"The body is not usable JSON: {problem}") from problem
