"""The REST doors of approvals: asking an owner to approve one question, and what became of it."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from dpgov.datasets.lineage import read_parents
from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.bodies import NothingElse, refuse_any
from dpgov.operation.conflicts import Conflict
from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.asking.approval import ends_at, sentence_of
from dpgov.queries.models import BudgetRequest
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.plan import PlanSerializer, SentPlan
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.approvals import (
    ApprovalStanding,
    NotNeeded,
    TooManyWaiting,
    approvals_of,
    ask_for_approval,
    standing_of,
)
from dpgov.queries.workbench.budget_requests import AlreadyAnswered, AlreadyAsked, withdraw_request
from dpgov.tenants.permissions import Permission, membership_of

_LONGEST = 300
_MOST = 50


class ApprovalSerializer(serializers.Serializer[ApprovalStanding]):
    """A request to approve one question, and whether the question can be asked under it now."""

    id = serializers.UUIDField(source="request.pk")
    plan = PlanSerializer(source="request.plan")
    in_words = serializers.SerializerMethodField()
    epsilon = serializers.SerializerMethodField()
    purpose = serializers.CharField(source="request.reason")
    state = serializers.CharField(
        source="request.state", help_text="waiting, granted, declined, withdrawn or stale"
    )
    answer = serializers.CharField(source="request.answer", help_text="The owner's reason.")
    can_be_asked = serializers.BooleanField(
        help_text="Send the plan with this id as `approval`; budgets are looked at then."
    )
    ended = serializers.SerializerMethodField()
    ends_at = serializers.SerializerMethodField()

    def get_in_words(self, standing: ApprovalStanding) -> str:
        """The question as a sentence."""
        return in_words(standing.request.plan or {})

    def get_epsilon(self, standing: ApprovalStanding) -> float:
        """The approved price; where ρ adds up, the pure ε of one such question."""
        return as_number(standing.request.epsilon_nano)

    def get_ended(self, standing: ApprovalStanding) -> str:
        """Why a granted one lets nothing be asked any more; "" while it does."""
        granted = standing.request.state == BudgetRequest.State.GRANTED
        return sentence_of(standing.why) if granted else ""

    def get_ends_at(self, standing: ApprovalStanding) -> str | None:
        """Until when it can be used; null until it is granted."""
        granted = standing.request.state == BudgetRequest.State.GRANTED
        return ends_at(standing.request).isoformat() if granted else None


class AskForApprovalSerializer(NothingElse):
    """A question and what it is for."""

    plan = SentPlan()
    purpose = serializers.CharField(max_length=_LONGEST)


class ApprovalListView(RefusingView):
    """Your requests for approvals of a dataset's questions."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="list_approvals",
        summary="List your approvals",
        description="The newest 50 that you asked for, with what became of them.",
        responses={200: ApprovalSerializer(many=True)},
    )
    def get(self, request: Request, slug: str) -> Response:
        found = list(approvals_of(membership_of(request), dataset_or_404(request, slug))[:_MOST])
        read_parents(one.dataset for one in found)
        standing: Any = [standing_of(one) for one in found]
        return Response(ApprovalSerializer(standing, many=True).data)

    @extend_schema(
        tags=["queries"],
        operation_id="ask_for_approval",
        summary="Ask an owner to approve one question",
        description=(
            "For a question that is refused with `needs_approval`. Nothing is reserved or spent. "
            "An approval is for this plan, at this price, for you, once, and holds for 14 days."
        ),
        request=AskForApprovalSerializer,
        responses={
            201: OpenApiResponse(ApprovalSerializer, description="Sent to the owners."),
            409: RefusalSerializer,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        plan, purpose = _read(request)
        try:
            with refusals(inside="plan", asked=plan):
                sent = ask_for_approval(
                    membership=membership_of(request),
                    dataset=dataset,
                    raw_plan=plan,
                    purpose=purpose,
                )
        except NotNeeded as problem:
            raise Conflict(str(problem), "no_approval_needed") from problem
        except (AlreadyAsked, TooManyWaiting) as problem:
            raise Conflict(str(problem), "already_asked") from problem
        location = reverse("approval", args=[slug, sent.pk], request=request)
        body = ApprovalSerializer(standing_of(sent)).data
        return Response(body, status=201, headers={"Location": location})


class ApprovalView(RefusingView):
    """One of them."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="read_approval",
        summary="Read an approval",
        responses={200: ApprovalSerializer},
    )
    def get(self, request: Request, slug: str, approval_id: UUID) -> Response:
        sent = _approval(request, slug, approval_id)
        return Response(ApprovalSerializer(standing_of(sent)).data)


class WithdrawView(RefusingView):
    """Take back one that waits."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="withdraw_approval",
        summary="Take back your request for an approval",
        description="Until an owner answers it. Refusal: 409 `already_answered`.",
        request=None,
        responses={
            200: ApprovalSerializer,
            409: OpenApiResponse(RefusalSerializer, description="It was answered before."),
        },
    )
    def post(self, request: Request, slug: str, approval_id: UUID) -> Response:
        sent = _approval(request, slug, approval_id)
        refuse_any(request.data)
        try:
            sent = withdraw_request(membership=membership_of(request), request_id=sent.pk)
        except BudgetRequest.DoesNotExist as missing:
            raise NotFound from missing
        except AlreadyAnswered as problem:
            raise Conflict(str(problem), "already_answered") from problem
        return Response(ApprovalSerializer(standing_of(sent)).data)


def _approval(request: Request, slug: str, approval_id: UUID) -> BudgetRequest:
    found = approvals_of(membership_of(request), dataset_or_404(request, slug))
    sent = found.filter(pk=approval_id).first()
    if sent is None:
        raise NotFound
    return sent


def _read(request: Request) -> tuple[dict[str, Any], str]:
    sent = AskForApprovalSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    return sent.validated_data["plan"], sent.validated_data["purpose"]
