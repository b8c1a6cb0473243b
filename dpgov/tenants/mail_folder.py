"""Letters as files, for an installation without a mail server.

They hold links that sign people in, so nobody but the product's own user reads them.
"""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail.backends import filebased


class EmailBackend(filebased.EmailBackend):
    """Django's own, with a folder and files that are closed to everybody else."""

    def __init__(self, file_path: str | None = None, **kwargs: Any) -> None:
        folder = Path(file_path or settings.EMAIL_FILE_PATH)  # type: ignore[misc]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        super().__init__(file_path=str(folder), **kwargs)

    def open(self) -> bool:
        """The file is there, and closed to others, before a word is written to it."""
        if self.stream is not None:
            return False
        descriptor = os.open(self._get_filename(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.stream = os.fdopen(descriptor, "ab")
        return True
