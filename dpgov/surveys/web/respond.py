"""The page of a respondent: anybody's who has the address. It only shows; reports go to the API.

Whoever serves a page serves the script that randomises, and so has to be believed, or compared: the
page names the script's SHA-256 as it is served, the browser runs nothing else under it, and the
documentation names it too.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dpgov.surveys.models import Survey
from dpgov.surveys.public import acting_on, form_of
from dpgov.surveys.wording import rule_of

_SCRIPT = "js/respond.js"


@require_safe
def respond(request: HttpRequest, survey_code: str) -> HttpResponse:
    """The question, the rule, and the script that randomises."""
    try:
        with acting_on(survey_code) as survey:
            rule = form_of(survey, reverse("v1:survey-answer", args=[survey.code]))
            context = {
                "survey": survey,
                "rule": rule_of(survey.randomiser),
                "form_rule": rule,
                "takes_reports": rule["takes_reports"],
                "integrity": integrity(),
                "sha256": sha256(),
            }
            return render(request, "surveys/respond.html", context)
    except Survey.DoesNotExist as missing:
        raise Http404 from missing


@cache
def _digest() -> bytes:
    collected = Path(settings.STATIC_ROOT) / _SCRIPT
    found = collected if collected.exists() and not settings.DEBUG else finders.find(_SCRIPT)
    return hashlib.sha256(Path(str(found)).read_bytes()).digest()


def sha256() -> str:
    """In hexadecimal digits, as sha256sum says it."""
    return _digest().hex()


def integrity() -> str:
    """As a browser checks it."""
    return f"sha256-{base64.b64encode(_digest()).decode()}"
