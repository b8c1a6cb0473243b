"""Letters as files, for an installation without a mail server: one letter in each file.

They hold links that sign people in, so nobody but the product's own user reads them; and nobody's
stands below another's, which would go along with it. Django's own backend names a file by the
second and by where the sender lies in memory, and two letters may have both in common.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from dpgov.operation import clock


class EmailBackend(BaseEmailBackend):
    """Writes into a folder that is closed to everybody else."""

    def __init__(self, file_path: str | None = None, **kwargs: Any) -> None:
        self._folder = Path(file_path or settings.EMAIL_FILE_PATH)  # type: ignore[misc]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        super().__init__(**kwargs)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Each into a new file, closed to others before a word is written to it; how many."""
        for letter in email_messages:
            name = f"{clock.now():%Y%m%d-%H%M%S}-{uuid4().hex}.log"
            only_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(self._folder / name, only_new, 0o600), "wb") as file:
                file.write(letter.message().as_bytes() + b"\n")
        return len(email_messages)
