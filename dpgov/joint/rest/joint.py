"""The REST doors of joint questions: propose, look at a code, ask to take part, leave, watch.

By the services of the pages, and under the same rules: what is joined waits for an officer, whose
door is the page of approvals. A code is sent in a body and never stands in an address.
"""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from dpgov.joint.errors import NotTakingPart
from dpgov.joint.models import JointQuestion
from dpgov.joint.rest.shapes import (
    CodeSerializer,
    JoinByCodeSerializer,
    JoinSerializer,
    JointQuestionSerializer,
    OfferSerializer,
    ProposalSerializer,
    ProposedSerializer,
    RequestedSerializer,
    dataset_to_propose,
    joint_refusals,
    offered,
    own_dataset,
    told,
)
from dpgov.joint.selectors import get_joint_question, joint_questions_of, party_of
from dpgov.joint.services import leave, look_at, propose, request_to_join
from dpgov.operation.bodies import refuse_any
from dpgov.queries.rest.shapes import docs
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.tenants.permissions import Permission, membership_of

_REFUSED = {409: OpenApiResponse(RefusalSerializer, description="Not as things stand.")}
_TRIES = {429: OpenApiResponse(RefusalSerializer, description="`too_many_codes` this hour.")}


class JointListView(APIView):
    """The joint questions that the organisation proposed or takes part in."""

    permission = Permission.REQUEST_CHANGES

    @extend_schema(
        tags=["joint"],
        operation_id="list_joint_questions",
        summary="List joint questions, newest first",
        responses=JointQuestionSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        found: Any = [told(request, one) for one in joint_questions_of(membership_of(request))]
        return Response(JointQuestionSerializer(found, many=True).data)


class ProposeView(APIView):
    """A new one."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["joint"],
        operation_id="propose_joint_question",
        summary="Propose a joint question",
        description=(
            "Gives a code for the other organisations. Nothing is reserved: your own dataset takes "
            "part by a request, too. Sent again under the same key it is the same proposal, whose "
            "code is not shown again; a proposal that nobody joins costs nothing and ends by "
            "itself. Refusals: 400 `invalid` at what cannot be, 400 `invalid_plan`, 409 "
            "`in_practice`, `outside_policy`, `idempotency_conflict`."
        ),
        parameters=[docs.KEY],
        request=ProposalSerializer,
        responses={201: ProposedSerializer, **_REFUSED},
    )
    def post(self, request: Request) -> Response:
        data = _read(ProposalSerializer(data=request.data))
        with joint_refusals("plan"):
            made = propose(
                membership=membership_of(request),
                dataset=dataset_to_propose(request, data["dataset"]),
                title=data["title"],
                raw_plan=data["plan"],
                parties=data["parties"],
                colluders=data["colluders"],
                key=request.headers.get("Idempotency-Key", ""),
            )
        location = reverse("joint-detail", args=[made.question.pk], request=request)
        return Response(ProposedSerializer(made).data, 201, headers={"Location": location})


class CodeView(APIView):
    """What a code offers."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["joint"],
        operation_id="look_at_joint_code",
        summary="Look at what a code offers",
        description=(
            "And which of your datasets could take part. Refusals: 409 `code_refused`, "
            "`code_expired`, `own_code`, `takes_part`, `in_practice`."
        ),
        request=CodeSerializer,
        responses={200: OfferSerializer, **_REFUSED, **_TRIES},
    )
    def post(self, request: Request) -> Response:
        data = _read(CodeSerializer(data=request.data))
        with joint_refusals():
            offer = look_at(membership=membership_of(request), code=data["code"])
        body: Any = offered(request, offer)
        return Response(OfferSerializer(body).data)


class JoinByCodeView(APIView):
    """Take part in another organisation's proposal."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["joint"],
        operation_id="join_joint_question_by_code",
        summary="Ask to take part, by a code",
        description=(
            "An officer of your organisation decides; the price is reserved then. Refusals: those "
            "of the code, and 409 `declared_otherwise`, `outside_policy`, `already_requested`."
        ),
        request=JoinByCodeSerializer,
        responses={201: RequestedSerializer, **_REFUSED, **_TRIES},
    )
    def post(self, request: Request) -> Response:
        data = _read(JoinByCodeSerializer(data=request.data))
        return _requested(request, data, code=data["code"])


class JointView(APIView):
    """One of them."""

    permission = Permission.REQUEST_CHANGES

    @extend_schema(
        tags=["joint"],
        operation_id="read_joint_question",
        summary="Read how a joint question stands",
        responses=JointQuestionSerializer,
    )
    def get(self, request: Request, joint_id: UUID) -> Response:
        return _told(request, _question(request, joint_id))


class JoinView(APIView):
    """Take part in one's own proposal."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["joint"],
        operation_id="join_joint_question",
        summary="Ask to take part in your own proposal",
        description=(
            "As by a code. Refusals: 409 `takes_part`, `too_late`, `declared_otherwise`, "
            "`outside_policy`, `already_requested`."
        ),
        request=JoinSerializer,
        responses={201: RequestedSerializer, **_REFUSED},
    )
    def post(self, request: Request, joint_id: UUID) -> Response:
        question = _question(request, joint_id)
        data = _read(JoinSerializer(data=request.data))
        return _requested(request, data, question=question)


class LeaveView(APIView):
    """Take part no more."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["joint"],
        operation_id="leave_joint_question",
        summary="Leave a joint question before it is opened",
        description="It ends for everybody, and every hold comes back. Refusal: 409 `too_late`.",
        request=None,
        responses={200: JointQuestionSerializer, **_REFUSED},
    )
    def post(self, request: Request, joint_id: UUID) -> Response:
        membership, question = membership_of(request), _question(request, joint_id)
        refuse_any(request.data)
        party = party_of(membership, question)
        with joint_refusals():
            if party is None:
                raise NotTakingPart
            leave(membership=membership, party=party)
        return _told(request, question)


def _requested(request: Request, data: dict[str, Any], **where: Any) -> Response:
    with joint_refusals():
        change = request_to_join(
            membership=membership_of(request),
            dataset=own_dataset(request, data["dataset"]),
            reason=data["reason"],
            **where,
        )
    return Response(RequestedSerializer(change).data, 201)


def _told(request: Request, question: JointQuestion) -> Response:
    body: Any = told(request, question)
    return Response(JointQuestionSerializer(body).data)


def _question(request: Request, joint_id: UUID) -> JointQuestion:
    try:
        return get_joint_question(membership_of(request), joint_id)
    except JointQuestion.DoesNotExist as missing:
        raise NotFound from missing


def _read(sent: Serializer[Any]) -> dict[str, Any]:
    sent.is_valid(raise_exception=True)
    data: dict[str, Any] = sent.validated_data
    return data
