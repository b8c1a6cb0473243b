"""The password of a live table as it is stored: nothing without the installation's key.

Sealed like files in shared storage (`store.sealing`): AES-256-GCM under a key of its own, out of
the installation's key, the organisation and a random salt (HKDF). What it is for is authenticated
with it, so that a password beside another host, database or role never opens, and whoever writes to
our database cannot send it elsewhere. All have one length. Must never be opened but to connect.
"""

import base64
import json
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from dpgov.datasets.models import LiveTable

LONGEST = 500
_ROOM = 2 * 1024
_SALT = 32
# Each key seals one text, so that one nonce is enough.
_NONCE = bytes(12)


class NotOpened(Exception):
    """There is no password, or it was sealed under another key or for another place."""


def sealed(live: LiveTable, password: str) -> str:
    """The password for this table and role as a text to store; it is LONGEST characters at most."""
    salt = secrets.token_bytes(_SALT)
    text = password.encode().ljust(_ROOM, b"\0")
    return base64.b64encode(salt + _cipher(live, salt).encrypt(_NONCE, text, _place(live))).decode()


def opened(live: LiveTable) -> str:
    """The password again, to connect with; raises NotOpened, without a cause."""
    if live.sealed:
        stored = base64.b64decode(live.sealed)
        salt, text = stored[:_SALT], stored[_SALT:]
        try:
            return _cipher(live, salt).decrypt(_NONCE, text, _place(live)).rstrip(b"\0").decode()
        except InvalidTag:
            pass
    raise NotOpened


def _cipher(live: LiveTable, salt: bytes) -> AESGCM:
    info = b"dpgov live table 1 " + live.tenant_id.bytes
    key = HKDF(SHA256(), length=32, salt=salt, info=info).derive(settings.DPGOV_FINGERPRINT_KEY)
    return AESGCM(key)


def _place(live: LiveTable) -> bytes:
    place: list[str | int] = [str(live.pk), live.host, live.port, live.database, live.role]
    if live.path:
        place += [live.kind, live.path]
    return json.dumps(place).encode()
