"""In which language a person reads: by their own choice, else as the browser asks.

The REST API, the log and whatever is stored or exported speak English for everybody, so that they
can be compared. Must never let the reader's language into what is kept.
"""

from typing import Any

from django.conf import settings
from django.utils import translation

from dpgov.tenants.models import User


def language_of(user: User) -> Any:
    """A context in which everything is said in this person's language: for letters."""
    return translation.override(user.language or settings.LANGUAGE_CODE)


def language_of_address(email: str) -> Any:
    """The same for whoever has this address; until they chose, the writer's language counts."""
    person = User.objects.filter(email__iexact=email).first()
    chosen = person.language if person else ""
    return translation.override(chosen or translation.get_language())
