"""Several letters over one connection: greetings take longer than letters."""

import smtplib
from contextlib import suppress
from types import TracebackType
from typing import Self

from django.core.mail import EmailMessage, get_connection

_FAILURES = (OSError, smtplib.SMTPException, ValueError)
# Of these, what says nothing of other letters.
_OF_ONE_LETTER = (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, ValueError)
_PERMANENT = 500


class MailServerAway(Exception):
    """It takes no letters at present; the cause is the failure."""


class LetterRefused(Exception):
    """It did not take this one, and may take others; the cause is the failure.

    `for_good` if it refused the address and not the moment, or no mail can have that address.
    """

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.for_good = isinstance(failure, ValueError)
        if isinstance(failure, smtplib.SMTPRecipientsRefused):
            codes = [code for code, _ in failure.recipients.values()]
            self.for_good = min(codes) >= _PERMANENT


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
        with suppress(*_FAILURES):
            self._connection.close()

    def send(self, letter: EmailMessage) -> None:
        """Hand it over; raises MailServerAway and LetterRefused."""
        try:
            self._connection.open()
            letter.connection = self._connection
            letter.send()
        except _OF_ONE_LETTER as failure:
            raise LetterRefused(failure) from failure
        except _FAILURES as failure:
            raise MailServerAway from failure
