"""The REST doors of surveys for an organisation's people: draft, price, open, tokens, close, read.

By the services of the pages and under the same rules. A survey on a shared budget is requested
here and opened by an officer, whose door is the page of approvals.
"""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from dpgov.budgets.models import Budget
from dpgov.operation.bodies import refuse_any
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.surveys.models import Survey
from dpgov.surveys.rest.shapes import (
    DraftSerializer,
    OpeningRequestSerializer,
    OpeningSerializer,
    SurveyQuoteSerializer,
    SurveySerializer,
    TokensSerializer,
    TokensWantedSerializer,
    address_of,
    quoted,
    survey_refusals,
)
from dpgov.surveys.selectors import budgets_to_charge, get_survey, surveys_of
from dpgov.surveys.services import (
    SurveyDraft,
    close_survey,
    make_survey,
    make_tokens,
    open_alone,
    request_opening,
)
from dpgov.tenants.models import Tenant
from dpgov.tenants.permissions import Permission, membership_of

_REFUSED = {409: OpenApiResponse(RefusalSerializer, description="Not as things stand.")}


class SurveyListView(APIView):
    """The surveys of the organisation."""

    permission = Permission.VIEW_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="list_surveys",
        summary="List the surveys of the organisation, with their estimates",
        responses=SurveySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        found: Any = surveys_of(membership_of(request))
        return Response(SurveySerializer(found, many=True, context={"request": request}).data)


class DraftView(APIView):
    """A new one."""

    permission = Permission.MAKE_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="draft_survey",
        summary="Draft a survey",
        description=(
            "Nothing is charged, and nobody can answer before it is opened. Sent twice it makes "
            "two drafts: discard one by closing it. Refusals: 400 `invalid` at what cannot be."
        ),
        request=DraftSerializer,
        responses={201: SurveySerializer},
    )
    def post(self, request: Request) -> Response:
        membership, data = membership_of(request), _read(DraftSerializer(data=request.data))
        data["epsilon_nano"] = data.pop("epsilon")
        data["shared_budget"] = _budget(membership.tenant, data.get("shared_budget"))
        with survey_refusals():
            survey = make_survey(membership=membership, asked=SurveyDraft(**data))
        location = reverse("survey-detail", args=[survey.pk], request=request)
        return _told(request, survey, 201, headers={"Location": location})


class SurveyView(APIView):
    """One of them."""

    permission = Permission.VIEW_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="read_survey",
        summary="Read a survey with its estimates so far",
        responses=SurveySerializer,
    )
    def get(self, request: Request, survey_id: UUID) -> Response:
        return _told(request, _survey(request, survey_id))


class SurveyQuoteView(APIView):
    """What it will cost and tell."""

    permission = Permission.MAKE_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="quote_survey",
        summary="See what opening a survey charges, and how exact it will be",
        responses=SurveyQuoteSerializer,
    )
    def get(self, request: Request, survey_id: UUID) -> Response:
        return Response(SurveyQuoteSerializer(quoted(_survey(request, survey_id))).data)


class OpenView(APIView):
    """Open a draft."""

    permission = Permission.MAKE_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="open_survey",
        summary="Open a survey, or request it where a shared budget is charged",
        description=(
            "A survey with a budget of its own is charged and opened: 200. One on a shared budget "
            "needs a `reason` and an officer: 202, and it opens with their approval. Refusals: 409 "
            "`not_a_draft`, `last_day_over`, `budget_frozen`, `budget_refused`, "
            "`already_requested`, `not_requested`."
        ),
        request=OpeningSerializer,
        responses={200: SurveySerializer, 202: OpeningRequestSerializer, **_REFUSED},
    )
    def post(self, request: Request, survey_id: UUID) -> Response:
        membership, survey = membership_of(request), _survey(request, survey_id)
        data = _read(OpeningSerializer(data=request.data))
        with survey_refusals():
            if survey.shared_budget_id is None:
                return _told(request, open_alone(membership=membership, survey=survey))
            change = request_opening(membership=membership, survey=survey, reason=data["reason"])
        return Response(OpeningRequestSerializer(change).data, 202)


class CloseView(APIView):
    """Take no more reports."""

    permission = Permission.MAKE_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="close_survey",
        summary="Close a survey for good, or discard a draft",
        description="What was charged is not given back. Refusal: 409 `not_a_draft`: it is closed.",
        request=None,
        responses={200: SurveySerializer, **_REFUSED},
    )
    def post(self, request: Request, survey_id: UUID) -> Response:
        membership, survey = membership_of(request), _survey(request, survey_id)
        refuse_any(request.data)
        with survey_refusals():
            closed = close_survey(membership=membership, survey=survey)
        return _told(request, closed)


class TokensView(APIView):
    """New one-time tokens."""

    permission = Permission.MAKE_SURVEYS

    @extend_schema(
        tags=["surveys"],
        operation_id="make_survey_tokens",
        summary="Make one-time tokens for respondents",
        description=(
            "They are shown only this once. If the answer was lost, make new ones: a token that "
            "nobody has answers nothing. Refusals: 409 `no_tokens` (it asks for none), "
            "`survey_closed`, `practice`."
        ),
        request=TokensWantedSerializer,
        responses={201: TokensSerializer, **_REFUSED},
    )
    def post(self, request: Request, survey_id: UUID) -> Response:
        membership, survey = membership_of(request), _survey(request, survey_id)
        number = _read(TokensWantedSerializer(data=request.data))["number"]
        with survey_refusals():
            made = make_tokens(membership=membership, survey=survey, number=number)
        address = address_of(request, survey)
        body = {"tokens": made, "links": [f"{address}#{token}" for token in made]}
        return Response(TokensSerializer(body).data, 201)


def _survey(request: Request, survey_id: UUID) -> Survey:
    try:
        return get_survey(membership_of(request), survey_id)
    except Survey.DoesNotExist as missing:
        raise NotFound from missing


def _budget(tenant: Tenant, named: UUID | None) -> Budget | None:
    """One that a survey may name; a foreign one looks missing."""
    if named is None:
        return None
    found = next((one for one in budgets_to_charge(tenant) if one.pk == named), None)
    if found is None:
        raise ValidationError({"shared_budget": ["No shared budget of yours has this id."]})
    return found


def _told(request: Request, survey: Survey, status: int = 200, **more: Any) -> Response:
    body = SurveySerializer(survey, context={"request": request}).data
    return Response(body, status, **more)


def _read(sent: Serializer[Any]) -> dict[str, Any]:
    sent.is_valid(raise_exception=True)
    data: dict[str, Any] = sent.validated_data
    return data
