"""In which language a page speaks: by the reader's choice, else as the browser asks.

The REST API speaks English to everybody, so that answers can be compared.
"""

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from dpgov.operation.doors import is_api, is_metrics
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
