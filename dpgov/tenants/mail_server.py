"""Several letters over one connection: greetings take longer than letters."""

import smtplib
from contextlib import suppress
from types import TracebackType
from typing import Self

from django.core.mail import EmailMessage, get_connection

# Of a server that is away or refuses, and of a letter that no server can have.
FAILURES = (OSError, smtplib.SMTPException, ValueError)


class MailServer:
    """Connected to by the first letter, and left at the end."""

    def __init__(self) -> None:
        self._connection = get_connection()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with suppress(*FAILURES):
            self._connection.close()

    def send(self, letter: EmailMessage) -> None:
        """Hand it over; raises FAILURES."""
        self._connection.open()
        letter.connection = self._connection
        letter.send()
