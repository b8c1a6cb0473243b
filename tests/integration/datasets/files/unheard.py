"""A COMMIT whose reply is lost: whoever sent it cannot tell whether it happened."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import OperationalError, connection
from django.db.models import Model
from django.db.models.signals import post_save


@contextmanager
def commit_unheard(
    model: type[Model], *, happens: bool, problem: BaseException | None = None
) -> Generator[None]:
    """Within, the connection breaks at the end of the transaction that records one of these.

    Or `problem` is raised there, as by a signal that arrives while the reply is waited for.
    """
    lost = problem or OperationalError("server closed the connection unexpectedly")
    recorded: list[bool] = []
    really = connection._commit  # type: ignore[attr-defined]

    def record(*, created: bool, **_: Any) -> None:
        recorded.append(created)

    def commit() -> None:
        if happens or not recorded:
            really()
        if recorded:
            recorded.clear()
            raise lost

    post_save.connect(record, sender=model, weak=False)
    try:
        with patch.object(connection, "_commit", commit):
            yield
    finally:
        post_save.disconnect(record, sender=model)
