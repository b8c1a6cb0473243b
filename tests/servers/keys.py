"""The keys of an installation: given beside a database server, made by itself on one machine."""

import os
import secrets
from pathlib import Path

FINGERPRINT = "DPGOV_FINGERPRINT_KEY"


def new_keys() -> dict[str, str]:
    """What every process of an installation is given where a database server is named."""
    return {name: secrets.token_hex(32) for name in ("DPGOV_SECRET_KEY", FINGERPRINT)}


def fingerprint_key_here(home: Path | str) -> str:
    """The one of this process, as another machine is given it."""
    return os.environ.get(FINGERPRINT) or (Path(home) / "fingerprint_key").read_text().strip()
