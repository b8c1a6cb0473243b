"""The signature of a webhook's messages: HMAC-SHA256 over the time of sending and the body.

The secret is derived, so that reading the database does not give it away. A new key of the
installation gives every webhook a new secret.
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode

from django.conf import settings

from dpgov.notices.models import Webhook

_PURPOSE = "dpgov.notices.webhook"


def secret_of(webhook: Webhook) -> str:
    """What the receiver checks signatures with; "dpgov_" and 43 characters."""
    about = f"{_PURPOSE}:{webhook.pk}:{webhook.generation}"
    digest = hmac.new(settings.SECRET_KEY.encode(), about.encode(), hashlib.sha256).digest()
    return "dpgov_" + urlsafe_b64encode(digest).decode().rstrip("=")


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """ "sha256=" and the hexadecimal HMAC of "{timestamp}.{body}"."""
    signed = str(timestamp).encode() + b"." + body
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
