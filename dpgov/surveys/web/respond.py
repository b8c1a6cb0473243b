"""The page of a respondent: anybody's who has the address. It only shows; reports go to the API."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dpgov.surveys import script
from dpgov.surveys.models import Survey
from dpgov.surveys.public import acting_on, form_of
from dpgov.surveys.wording import rule_of


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
                "integrity": script.integrity(),
                "sha256": script.sha256(),
            }
            return render(request, "surveys/respond.html", context)
    except Survey.DoesNotExist as missing:
        raise Http404 from missing
