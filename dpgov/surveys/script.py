"""The script that randomises in a browser: its SHA-256, as it is served, for the page to show.

Whoever serves a page serves its script, and so has to be believed, or compared: the page names the
hash, the browser runs nothing else under it, and the documentation names it too.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

NAME = "js/respond.js"


@cache
def _digest() -> bytes:
    collected = Path(settings.STATIC_ROOT) / NAME
    found = collected if collected.exists() and not settings.DEBUG else finders.find(NAME)
    return hashlib.sha256(Path(str(found)).read_bytes()).digest()


def sha256() -> str:
    """In hexadecimal digits, as sha256sum says it."""
    return _digest().hex()


def integrity() -> str:
    """As a browser checks it."""
    return f"sha256-{base64.b64encode(_digest()).decode()}"
