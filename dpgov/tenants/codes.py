"""Codes that somebody reads out to another organisation: made by chance, kept as a hash.

120 bits of chance, so that a plain hash is enough. Must never say why a code does not work: a wrong
one, a used one and one's own look alike to whoever tries it.
"""

import base64
import hashlib
import re
import secrets
from uuid import UUID

from django.core.cache import cache

_BYTES = 15
_CODE = re.compile(r"[A-Z2-7]{24}", re.ASCII)
_MOST_TRIES = 20
TRIES_SECONDS = 3600


def new_code() -> tuple[str, str]:
    """A code in groups that can be read out, and its hash."""
    code = base64.b32encode(secrets.token_bytes(_BYTES)).decode()
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4)), _hash(code)


def hash_of(typed: str) -> str | None:
    """The hash of a code, however it was typed; None for what no code looks like."""
    text = re.sub(r"[\s-]", "", typed).upper()
    return _hash(text) if _CODE.fullmatch(text) else None


def may_try(what: str, tenant_id: UUID) -> bool:
    """Count a try of this tenant at this kind of code; False when it had too many this hour."""
    key = f"{what}-codes:{tenant_id}"
    cache.add(key, 0, timeout=TRIES_SECONDS)
    try:
        tries = cache.incr(key)
    except ValueError:
        # The hour ended between the two calls.
        tries = 1
    return tries <= _MOST_TRIES


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
