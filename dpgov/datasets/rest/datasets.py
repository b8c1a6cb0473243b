"""The REST doors of datasets: public metadata and budgets, read-only."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets.models import Dataset
from dpgov.datasets.rest.shapes import (
    BudgetSerializer,
    DatasetSerializer,
    DatasetSummarySerializer,
)
from dpgov.datasets.selectors import dataset_or_404, datasets_of, version_or_404
from dpgov.tenants.permissions import Permission, membership_of


class DatasetListView(ListAPIView[Dataset]):
    """The datasets of the token's organisation, by name."""

    permission = Permission.VIEW_DATASETS
    serializer_class = DatasetSummarySerializer
    queryset = Dataset.objects.none()

    @extend_schema(operation_id="datasets_list", summary="List datasets", tags=["datasets"])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Dataset]:
        if getattr(self, "swagger_fake_view", False):
            return Dataset.objects.none()
        return datasets_of(membership_of(self.request))


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
        version = version_or_404(request, slug)
        return Response(DatasetSerializer(version.dataset, context={"version": version}).data)


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
        dataset = dataset_or_404(request, slug)
        context = {"user": membership_of(request).user}
        return Response(BudgetSerializer(dataset, context=context).data)
