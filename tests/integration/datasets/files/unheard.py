"""A COMMIT whose reply is lost: whoever sent it cannot tell whether it happened."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import OperationalError, connection
from django.db.models import Model
from django.db.models.signals import post_save


@contextmanager
def commit_unheard(model: type[Model], *, happens: bool) -> Generator[None]:
    """Within, the connection breaks at the end of the transaction that records one of these."""
    recorded: list[bool] = []
    really = connection._commit  # type: ignore[attr-defined]

    def record(*, created: bool, **_: Any) -> None:
        recorded.append(created)

    def commit() -> None:
        if happens or not recorded:
            really()
        if recorded:
            recorded.clear()
            raise OperationalError("server closed the connection unexpectedly")

    post_save.connect(record, sender=model, weak=False)
    try:
        with patch.object(connection, "_commit", commit):
            yield
    finally:
        post_save.disconnect(record, sender=model)
