"""The REST doors of terms of use: read the version in force, and accept it by its number."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets import services
from dpgov.datasets.models import Dataset
from dpgov.datasets.rest.shapes import ConflictSerializer
from dpgov.datasets.rules import accepted_at, in_force
from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.bodies import NothingElse, WholeNumber
from dpgov.operation.conflicts import Conflict
from dpgov.tenants.models import User
from dpgov.tenants.permissions import Permission, membership_of

_MOST = 10**9


class TermsSerializer(serializers.Serializer[Any]):
    """The version in force; without terms `version` is null and nothing has to be accepted."""

    version = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    set_at = serializers.DateTimeField(allow_null=True)
    accepted_at = serializers.DateTimeField(
        allow_null=True, help_text="When you accepted this version; null: you have not."
    )


class AcceptedVersionSerializer(NothingElse):
    """Which version is accepted."""

    version = WholeNumber(
        min_value=1,
        max_value=_MOST,
        error_messages=dict.fromkeys(
            ("required", "null", "invalid", "min_value", "max_value"),
            "Send the number of the version that you have read.",
        ),
    )


class TermsView(APIView):
    """What people agree to before they ask about a dataset."""

    permission = Permission.VIEW_DATASETS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_terms",
        summary="Read the terms of use of a dataset",
        responses=TermsSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(_told(dataset_or_404(request, slug), membership_of(request).user))


class AcceptTermsView(APIView):
    """Accept them."""

    permission = Permission.ACCEPT_TERMS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_accept_terms",
        summary="Accept the terms of use of a dataset",
        description=(
            "Names the version that you have read. Accepting it again changes nothing. Another "
            "number than that of the version in force is refused: 409 `terms_not_in_force`."
        ),
        request=AcceptedVersionSerializer,
        responses={
            200: TermsSerializer,
            409: OpenApiResponse(ConflictSerializer, description="Another version is in force."),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset, user = dataset_or_404(request, slug), membership_of(request).user
        sent = AcceptedVersionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            services.accept_terms(dataset=dataset, number=sent.validated_data["version"], user=user)
        except services.NotInForce as refusal:
            raise Conflict(str(refusal), "terms_not_in_force") from refusal
        except Dataset.DoesNotExist as missing:
            raise NotFound from missing
        return Response(_told(dataset, user))


def _told(dataset: Dataset, user: User) -> dict[str, Any]:
    terms = in_force(dataset.pk)
    accepted = accepted_at(terms, user) if terms else None
    body = {
        "version": terms.number if terms else None,
        "text": terms.text if terms else "",
        "set_at": terms.set_at if terms else None,
        "accepted_at": accepted.accepted_at if accepted else None,
    }
    return dict(TermsSerializer(body).data)
