"""The REST door of synthetic rows. Reads stored releases only."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from dpgov.operation.conflicts import Conflict
from dpgov.operation.file_types import as_one_of
from dpgov.privacy.answer.fitting import TooManyCells
from dpgov.queries.answering.looking import look_at
from dpgov.queries.models import Query
from dpgov.queries.rest.shapes.errors import RefusingView, not_ready
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.queries.wording.synthetic import FORMATS, NoTables, StillWaiting, made_of
from dpgov.tenants.permissions import Permission, membership_of
from dpgov.web.pages import as_file

_FILE = OpenApiParameter("file", str, enum=list(FORMATS), description="csv where it is left out.")


class SyntheticView(RefusingView):
    """Synthetic rows of the tables that were asked together with a question."""

    permission = Permission.VIEW_DATASETS
    content_negotiation_class = as_one_of(*FORMATS.values())

    @extend_schema(
        tags=["queries"],
        operation_id="read_synthetic_rows",
        summary="Synthetic rows out of released tables",
        description=(
            "Of a count by groups, and of all that were asked together with it: rows whose counts "
            "agree with the released ones, as CSV or Parquet. Free, always the same, and marked as "
            "synthetic in the file's name and first line or metadata: no row is a person. 409 "
            "`not_ready` while one of them waits, 409 `too_large` where the table of all columns "
            "would have too many cells, 409 `no_tables` where there is no released table."
        ),
        parameters=[_FILE],
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
            409: OpenApiResponse(RefusalSerializer),
        },
    )
    def get(self, request: Request, query_id: UUID) -> HttpResponse:
        fmt = request.query_params.get("file", "csv")
        if fmt not in FORMATS:
            raise ValidationError({"file": [f"Choose one of {', '.join(FORMATS)}."]})
        try:
            made = made_of(look_at(membership_of(request), query_id))
        except Query.DoesNotExist as missing:
            raise NotFound from missing
        except NoTables as none:
            raise Conflict(str(none), "no_tables") from none
        except StillWaiting as waiting:
            raise not_ready() from waiting
        except TooManyCells as refusal:
            raise Conflict(str(refusal), "too_large") from refusal
        return as_file(made.as_file(fmt), made.file_name(fmt), FORMATS[fmt])
