"""The REST door of the curve of price against error. Free, and no data is touched."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dpgov.datasets.selectors import dataset_or_404
from dpgov.queries.asking.curve import curve_of
from dpgov.queries.asking.policy import policy_for
from dpgov.queries.asking.quote import quote
from dpgov.queries.rest.shapes.docs import CHARGED
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.plan import WantedPlanSerializer
from dpgov.queries.rest.shapes.quoting import CurveSerializer, allocation_of, assumed_rows_of
from dpgov.tenants.permissions import Permission, membership_of

_GUESS = OpenApiParameter("assumed_rows", int, description="Your guess; as for a quote.")


class CurveView(RefusingView):
    """What a question would cost and how exact it would be, at amounts in a row."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="read_price_curve",
        summary="Price against error of a question",
        description=(
            "At most ten amounts up to the most that one question may cost, each with the error of "
            "the first statistic and whether it fits now, needs a permit, is too much, or is "
            "refused now at every amount. Made of the plan and the declarations alone; nothing is "
            "spent."
        ),
        request=WantedPlanSerializer,
        parameters=[_GUESS, CHARGED],
        responses={200: CurveSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        user, guess = membership_of(request).user, assumed_rows_of(request)
        charged = allocation_of(request)
        with refusals():
            priced = quote(
                user=user,
                dataset=dataset,
                raw_plan=request.data,
                assumed_rows=guess,
                allocation_id=charged,
            )
            found = curve_of(priced, policy_for(dataset, user), assumed_rows=guess)
        if found is None:
            raise ValidationError({"assumed_rows": ["No amount has an error that can be told."]})
        return Response(CurveSerializer(found).data)
