"""A report that a respondent drew on the command line, kept on their machine until it arrived.

What could leak: the answer, by a second draw. A reply that was lost says nothing about whether the
report was counted, so the same bytes are sent again, and the server counts a token once. The true
answer is not kept; who reads the file knows the report and the token, so it is its owner's alone.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_OWNER_ONLY = 0o600


class NotKept(OSError):
    """The report cannot be kept, or what was kept cannot be read; nothing may be sent then."""


@dataclass(frozen=True, slots=True)
class KeptReport:
    """`path` is where it lies; `is_new` once, in the run that drew it."""

    path: Path
    token: str
    report: str
    is_new: bool = False
    refused: bool = False

    @classmethod
    def found(cls, path: Path) -> Self | None:
        """The one that an earlier run kept. Raises NotKept for a file that is none."""
        try:
            kept = json.loads(path.read_text())
            return cls(path, kept["token"], kept["report"], refused=kept["refused"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as broken:
            raise NotKept from broken

    @classmethod
    def drawn(cls, path: Path, *, token: str, report: str) -> Self:
        """Keep a new one, on the disk before anything is sent. Raises NotKept."""
        new = cls(path, token, report, is_new=True)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new._write(os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except OSError as refused:
            raise NotKept from refused
        return new

    def belongs_to_another(self) -> None:
        """The token was spent before this report was ever sent: spent again is no arrival."""
        KeptReport(self.path, self.token, self.report, refused=True)._write(
            os.O_TRUNC | os.O_WRONLY
        )

    def _write(self, flags: int) -> None:
        kept = {"token": self.token, "report": self.report, "refused": self.refused}
        with os.fdopen(os.open(self.path, flags, _OWNER_ONLY), "w") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())


def usual_folder() -> Path:
    """Where a program of this user keeps what has to outlive it."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "dpgov"


def path_of(folder: Path, address: str, token: str) -> Path:
    """One for each survey and token; the token itself is in no name that a listing shows."""
    code = "".join(sign for sign in address.rstrip("/").rpartition("/")[2] if sign.isalnum())[:32]
    digest = hashlib.sha256(f"{address}#{token}".encode()).hexdigest()[:16]
    return folder / f"survey-{code}-{digest}.json"
