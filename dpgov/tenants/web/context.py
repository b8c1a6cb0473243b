"""What every page knows about the person looking at it."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from dpgov.tenants.permissions import ALLOWED, may


def tenant(request: HttpRequest) -> dict[str, Any]:
    """`membership`, `tenant`, `can.<permission>` (lower-case names) and `languages`."""
    membership = getattr(request, "membership", None)
    return {
        "membership": membership,
        "tenant": membership.tenant if membership else None,
        "can": {p.name.lower(): may(membership, p) for p in ALLOWED},
        "languages": settings.LANGUAGES,
    }
