"""The comparison of accounts over the API, for owners and officers."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets.selectors import dataset_or_404
from dpgov.explain.comparison import DEFAULT_DELTA, NAMES, AccountsAtDelta, Figure, compare
from dpgov.privacy.accounting.loss import InvalidDelta, parse_delta
from dpgov.tenants.permissions import Permission

LABEL = "for comparison only: not what admission uses"


class AccountSerializer(serializers.Serializer[Figure]):
    """One account of the same charges."""

    name = serializers.ChoiceField(choices=NAMES)
    epsilon = serializers.FloatField(allow_null=True, help_text="At δ; null if not computed.")
    note = serializers.CharField()


class ComparisonSerializer(serializers.Serializer[AccountsAtDelta]):
    """What was charged so far, by every account; a correction counts as one question."""

    purpose = serializers.SerializerMethodField()
    delta = serializers.FloatField()
    questions = serializers.IntegerField()
    accounts = AccountSerializer(source="figures", many=True)

    def get_purpose(self, comparison: AccountsAtDelta) -> str:
        """What it is for, and what it is not."""
        return LABEL


class ComparisonView(APIView):
    """A dataset's charges by other accounts. For comparison only: not what admission uses."""

    permission = Permission.VIEW_SPLIT_BY_ANALYST

    @extend_schema(
        operation_id="datasets_comparison",
        summary="Compare accounts of what was spent",
        parameters=[
            OpenApiParameter("delta", str, description="A decimal such as 1e-6, the default.")
        ],
        responses=ComparisonSerializer,
        tags=["datasets"],
    )
    def get(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        try:
            delta = parse_delta(request.query_params.get("delta") or DEFAULT_DELTA)
        except InvalidDelta as problem:
            raise ValidationError({"delta": [ErrorDetail(str(problem), "invalid")]}) from problem
        return Response(ComparisonSerializer(compare(dataset.budget, delta)).data)
