"""The REST door that cancels a question which waits in a pause, under the rules of the page."""

from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from dpgov.operation.bodies import refuse_any
from dpgov.operation.conflicts import Conflict
from dpgov.queries.answering.cancelling import NotPaused, TooLate, cancel
from dpgov.queries.models import Query
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.question import QuerySerializer, RefusalSerializer
from dpgov.queries.selectors import get_query
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of


class CancelView(RefusingView):
    """Give back what waits in a pause."""

    permission = Permission.CANCEL_QUESTIONS

    @extend_schema(
        tags=["queries"],
        operation_id="cancel_question",
        summary="Cancel a question that waits in a pause",
        description=(
            "Only while questions about its dataset are `paused`: an analyst cancels their own, an "
            "owner those of others. Its price comes back, and it ends as `voided`; sent again it "
            "is the same. Refusals: 409 `not_paused`; 409 `too_late`: the data was opened for it "
            "before, or it was answered at once for nothing; 409 `budget_frozen` while an officer "
            "has to confirm the balance."
        ),
        request=None,
        responses={
            200: QuerySerializer,
            409: OpenApiResponse(RefusalSerializer, description="Not as things stand."),
        },
    )
    def post(self, request: Request, query_id: UUID) -> Response:
        refuse_any(request.data)
        membership = membership_of(request)
        try:
            with refusals():
                cancel(membership=membership, query_id=query_id)
        except Query.DoesNotExist as missing:
            raise NotFound from missing
        except (NotPaused, TooLate) as refusal:
            # Who lost the answer sends it again: it was cancelled, and nothing was charged.
            if not _is_given_back(membership, query_id):
                raise Conflict(str(refusal), refusal.code) from refusal
        query = get_query(membership, query_id)
        return Response(QuerySerializer(query, context={"request": request}).data)


def _is_given_back(membership: Membership, query_id: UUID) -> bool:
    query = get_query(membership, query_id)
    return query.state in Query.ENDED and query.state not in Query.CHARGED
