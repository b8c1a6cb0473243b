"""In which language a person reads: by their own choice, else as the browser asks.

The REST API, the log and whatever is stored or exported speak English for everybody, so that they
can be compared. Must never let the reader's language into what is kept.
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from dpgov.operation.doors import is_api, is_metrics
from dpgov.privacy.said import Said
from dpgov.tenants.models import User


class LanguageMiddleware(LocaleMiddleware):
    """Django's own, but machines are always answered in English."""

    def process_request(self, request: HttpRequest) -> None:
        if is_api(request) or is_metrics(request):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = translation.get_language()
        else:
            super().process_request(request)


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Remember the language in this browser and, for letters, with the person.

    Then back to where one was, on this site. Another language than those offered is a bad request.
    """
    code = request.POST.get("language", "")
    if code not in dict(settings.LANGUAGES):
        raise BadRequest
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=code)
    return set_language(request)


def english() -> Any:
    """A context in which everything is said in English: for what is stored or exported."""
    return translation.override(settings.LANGUAGE_CODE)


def language_of(user: User) -> Any:
    """A context in which everything is said in this person's language: for letters."""
    return translation.override(user.language or settings.LANGUAGE_CODE)


def language_of_address(email: str) -> Any:
    """The same for whoever has this address; until they chose, the writer's language counts."""
    person = User.objects.filter(email__iexact=email).first()
    chosen = person.language if person else ""
    return translation.override(chosen or translation.get_language())


def translated(text: str) -> str:
    """A sentence of the pure rooms in the reader's language; other text as it is."""
    if not isinstance(text, Said):
        return text
    values = {name: translated(value) for name, value in text.values.items()}
    return translation.gettext(text.pattern).format(**values)
