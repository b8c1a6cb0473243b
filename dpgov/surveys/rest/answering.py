"""The REST door for everybody: read the question and the rule of a survey, and answer it.

Who answers shows no session and no account: a cookie is not looked at, and so nothing that another
site makes a browser send is worth more than what anybody could send. A body is JSON or refused.
Requests are counted by origin and by survey, in a cache that forgets within minutes.
"""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from dpgov.operation.bodies import refuse_unknown
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.surveys.errors import SurveyRefusal
from dpgov.surveys.models import Survey
from dpgov.surveys.public import acting_on, form_of
from dpgov.surveys.rest.shapes import (
    RecordedSerializer,
    ReportSerializer,
    SurveyFormSerializer,
    refused,
)
from dpgov.surveys.services import receive
from dpgov.tenants.rates import seconds_until_free
from dpgov.tenants.sign_in.guessing import origin_of

A_MINUTE_ORIGIN, A_MINUTE_SURVEY = 300, 3000


class AnswerThrottle(BaseThrottle):
    """So many requests in a minute from one origin, and for one survey."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count it."""
        origin = origin_of(request._request)
        self._wait = seconds_until_free(
            {
                f"respondent:{origin}": A_MINUTE_ORIGIN,
                f"survey:{view.kwargs['survey_code']}": A_MINUTE_SURVEY,
            }
        )
        return self._wait is None

    def wait(self) -> float | None:
        """Seconds until the next window."""
        return self._wait


class AnswerView(APIView):
    """What a respondent's program reads, and where it sends one randomised report."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (AnswerThrottle,)

    @extend_schema(
        tags=["surveys"],
        operation_id="read_survey_form",
        summary="Read the question and the rule of a survey, without an account",
        auth=[],
        responses=SurveyFormSerializer,
    )
    def get(self, request: Request, survey_code: str) -> Response:
        try:
            with acting_on(survey_code) as survey:
                address = reverse("survey-answer", args=[survey_code], request=request)
                return Response(SurveyFormSerializer(form_of(survey, address)).data)
        except Survey.DoesNotExist as missing:
            raise NotFound from missing

    @extend_schema(
        tags=["surveys"],
        operation_id="send_survey_report",
        summary="Send one randomised report, without an account",
        description=(
            "Randomise before you send: what is sent is read as it is. A token counts once. "
            "Refusals: 400 `not_a_report`, `token_unknown`; 409 `token_spent`, `survey_closed`, "
            "`survey_held` (try again later), `practice`; nothing is recorded then."
        ),
        auth=[],
        request=ReportSerializer,
        responses={
            201: RecordedSerializer,
            409: OpenApiResponse(RefusalSerializer, description="Spent, or closed."),
        },
    )
    def post(self, request: Request, survey_code: str) -> Response:
        body = request.data if isinstance(request.data, dict) else {}
        refuse_unknown(body, ReportSerializer().fields)
        try:
            with acting_on(survey_code) as survey:
                receive(survey=survey, token=body.get("token"), report=body.get("report"))
        except Survey.DoesNotExist as missing:
            raise NotFound from missing
        except SurveyRefusal as refusal:
            raise refused(refusal) from refusal
        return Response({"recorded": True}, status=201)
