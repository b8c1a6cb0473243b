"""The REST doors of datasets: public metadata and budgets, read-only."""

from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of, get_dataset, public_metadata
from dpgov.datasets.serializers import (
    BudgetSerializer,
    DatasetSerializer,
    DatasetSummarySerializer,
)
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission


class DatasetListView(ListAPIView[Dataset]):
    """The datasets of the token's tenant, by name."""

    permission = Permission.VIEW_DATASETS
    serializer_class = DatasetSummarySerializer
    queryset = Dataset.objects.none()

    @extend_schema(operation_id="datasets_list", summary="List datasets", tags=["datasets"])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Dataset]:
        if getattr(self, "swagger_fake_view", False):
            return Dataset.objects.none()
        return datasets_of(_membership(self.request).tenant)


class DatasetView(APIView):
    """One dataset's public metadata: all that is needed to compose a plan."""

    permission = Permission.VIEW_DATASETS

    @extend_schema(
        operation_id="datasets_read",
        summary="Read a dataset's public metadata",
        responses=DatasetSerializer,
        tags=["datasets"],
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(public_metadata(_dataset(request, slug)))


class BudgetView(APIView):
    """One dataset's budget."""

    permission = Permission.VIEW_DATASETS

    @extend_schema(
        operation_id="datasets_budget",
        summary="Read a dataset's budget",
        responses=BudgetSerializer,
        tags=["datasets"],
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(BudgetSerializer.of(_dataset(request, slug)))


def _dataset(request: Request, slug: str) -> Dataset:
    try:
        return get_dataset(_membership(request).tenant, slug)
    except Dataset.DoesNotExist as missing:
        raise NotFound from missing


def _membership(request: Request) -> Membership:
    return cast(Membership, request._request.membership)  # type: ignore[attr-defined]
