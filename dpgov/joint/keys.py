"""The private key of one organisation's worker: a file of its own, read by its worker alone.

Must never be read by a page or the sweeper, and never leave the folder: what goes out is the public
key. The folder of each organisation's worker may be on a machine of its own.
"""

import os
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from django.conf import settings


def own_key(tenant_id: UUID) -> bytes:
    """The 32 bytes of this organisation's private key; made when there is none yet."""
    path = Path(settings.DPGOV_JOINT_KEYS) / f"{tenant_id}.key"
    if not path.exists():
        _make(path)
    return bytes.fromhex(path.read_text("ascii"))


def _make(path: Path) -> None:
    """Of two workers at once one makes it, whole, and the other takes that one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    text = X25519PrivateKey.generate().private_bytes_raw().hex()
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        path.hardlink_to(part)
    part.unlink()
