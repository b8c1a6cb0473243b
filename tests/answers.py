"""What tests look at of an answer, whichever client it came from."""

from collections.abc import Mapping
from typing import Any, Protocol


class Answer(Protocol):
    """An answer with a body. Django's stubs have one type for each client and none for all."""

    status_code: int

    @property
    def content(self) -> bytes: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...
