"""The REST doors of invented data: a trial answer, and invented rows. Both are free.

Nothing is reserved, booked, stored or logged, and no data is touched.
"""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.file_types import as_one_of
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.plan import WantedPlanSerializer
from dpgov.queries.rest.shapes.question import MockReleaseSerializer
from dpgov.queries.rest.shapes.quoting import assumed_rows_of
from dpgov.queries.workbench.trial import invented_rows, try_plan
from dpgov.tenants.permissions import Permission
from dpgov.web.pages import CSV, as_file

_ROWS = OpenApiParameter("rows", int, description="How many rows; 1000 where it is left out.")
_GUESS = OpenApiParameter(
    "assumed_rows", int, description="How many invented rows; as for a quote."
)


class MockAnswerView(RefusingView):
    """Try a question on invented rows."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="try_on_mock_data",
        summary="Try a question on invented data",
        description=(
            "A body like that of a release, with real noise of the plan's ε over rows that were "
            "made up out of the declared columns. `mock` is true and `rows` says how many. It is "
            "free, and says nothing about the data. The rows are always the same; the noise is "
            "fresh each time."
        ),
        request=WantedPlanSerializer,
        parameters=[_GUESS],
        responses={200: MockReleaseSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        guess = assumed_rows_of(request)
        with refusals():
            blueprint = priced_blueprint(dataset, request.data, guess)
            trial = try_plan(blueprint.plan, blueprint.schema, guess)
        return Response(trial.body)


class MockRowsView(APIView):
    """Invented rows of a dataset."""

    permission = Permission.VIEW_DATASETS
    content_negotiation_class = as_one_of(CSV)

    @extend_schema(
        tags=["datasets"],
        operation_id="read_mock_rows",
        summary="Invented rows as CSV",
        description=(
            "Made up out of the declared columns, always the same, to write a notebook against. "
            "Nobody's row is among them."
        ),
        parameters=[_ROWS],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        dataset = dataset_or_404(request, slug)
        try:
            content = invented_rows(dataset, request.query_params.get("rows", ""))
        except ValueError as refusal:
            raise ValidationError({"rows": [str(refusal)]}) from refusal
        return as_file(content, f"invented-{dataset.slug}.csv", CSV)
