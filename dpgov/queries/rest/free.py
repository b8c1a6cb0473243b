"""The REST door of free answers. Spends nothing; each is taken by choice, once per key."""

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from dpgov.operation.conflicts import Conflict
from dpgov.privacy.reuse.derived import SourceChanged
from dpgov.queries.asking.taking import NothingFree, take
from dpgov.queries.rest.shapes.again import dataset_to_ask, key_of
from dpgov.queries.rest.shapes.docs import KEY
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.plan import PlanSerializer
from dpgov.queries.rest.shapes.question import QuerySerializer, RefusalSerializer
from dpgov.tenants.permissions import Permission, membership_of

_CHOICE = OpenApiParameter(
    "choice",
    str,
    description="Which of the quote's `free` answers. Left out: the first of them.",
)


class ReuseView(RefusingView):
    """Answer a question for nothing, out of stored answers."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="reuse_answers",
        summary="Take a free answer",
        description=(
            "For a plan whose quote lists `free` answers. The question is answered at once out of "
            "stored answers: nothing is reserved or charged, whatever ε the plan names. Refusals: "
            "400 for a plan that cannot be asked, 409 `nothing_free`, 409 `idempotency_conflict`."
        ),
        request=PlanSerializer,
        parameters=[KEY, _CHOICE],
        responses={
            201: OpenApiResponse(QuerySerializer, description="Answered, now or before."),
            409: RefusalSerializer,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_to_ask(request, slug)
        try:
            with refusals():
                taken = take(
                    membership=membership_of(request),
                    dataset=dataset,
                    raw_plan=request.data,
                    idempotency_key=key_of(request),
                    choice=request.query_params.get("choice", ""),
                )
        except (NothingFree, SourceChanged) as problem:
            raise Conflict(str(problem), "nothing_free") from problem
        location = reverse("query-detail", args=[taken.query.pk], request=request)
        body = QuerySerializer(taken.query, context={"request": request}).data
        return Response(body, status=201, headers={"Location": location})
