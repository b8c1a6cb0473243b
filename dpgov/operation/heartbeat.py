"""What the sweeper has done since its start, in a file that the web server can read.

The file says that the sweeper lives: its age is looked at by health checks and by the metrics page.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Sweeps:
    """Rounds since the start, messages sent again, questions given up, rounds that broke off."""

    rounds: int = 0
    sent: int = 0
    given_up: int = 0
    broken_off: int = 0


@dataclass(frozen=True, slots=True)
class Beat:
    """The last word of the sweeper and when it came, in seconds since 1970."""

    sweeps: Sweeps
    at: float


def beat(sweeps: Sweeps) -> None:
    """Write the file anew; who reads it sees the old one or the new one."""
    path = _path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(asdict(sweeps)))
    draft.replace(path)


def last_beat() -> Beat | None:
    """What the sweeper wrote last; None when there is none, or none that can be read."""
    path = _path()
    try:
        return Beat(Sweeps(**json.loads(path.read_text())), path.stat().st_mtime)
    except (OSError, ValueError, TypeError):
        return None


def _path() -> Path:
    return Path(settings.DPGOV_HOME) / "operation" / "sweeper.json"
