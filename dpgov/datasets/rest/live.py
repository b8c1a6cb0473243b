"""The REST door of live tables: their owners declare that the rows were refreshed."""

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
from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.bodies import NothingElse
from dpgov.operation.conflicts import Conflict
from dpgov.tenants.permissions import Permission, membership_of

_MOST = 10**9


class RefreshSerializer(NothingElse):
    """Since which version the rows are others."""

    version = serializers.IntegerField(
        min_value=1,
        max_value=_MOST,
        help_text="The newest one, as `GET /api/v1/datasets/{slug}/` says.",
    )


class RefreshedSerializer(serializers.Serializer[Any]):
    """The version that stands for the present rows."""

    version = serializers.IntegerField(source="number")
    refreshed_at = serializers.DateTimeField(source="created_at")


class RefreshView(APIView):
    """Declare that a live table has other rows now."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_refresh",
        summary="Declare the rows of a live table refreshed",
        description=(
            "Names the newest version, and makes the next one, which is declared alike; the budget "
            "stays. The table is not asked. The same again finds what it made (200)."
        ),
        request=RefreshSerializer,
        responses={
            201: RefreshedSerializer,
            200: RefreshedSerializer,
            409: OpenApiResponse(
                ConflictSerializer,
                description="`version_moved`: another version came meanwhile; `no_live_table`; "
                "`budget_frozen`.",
            ),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset, wanted = dataset_or_404(request, slug), RefreshSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            found = services.declare_refresh(
                dataset=dataset,
                since=wanted.validated_data["version"],
                user=membership_of(request).user,
            )
        except services.RefusedRefresh as refusal:
            raise Conflict(str(refusal), refusal.code) from refusal
        except Dataset.DoesNotExist as missing:
            raise NotFound from missing
        body = RefreshedSerializer(found.version).data
        return Response(body, status=201 if found.is_new else 200)
