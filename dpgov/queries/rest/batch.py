"""The REST doors of batches: price several plans together, ask all of them or none."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dpgov.budgets.charging import Limit
from dpgov.budgets.words import currency_in_json
from dpgov.datasets.lookup import dataset_or_404
from dpgov.privacy.accounting.budget import as_number
from dpgov.queries.asking.quote import Priced, Quote, quote_batch
from dpgov.queries.asking.submit import submit_batch
from dpgov.queries.rest.shapes import docs
from dpgov.queries.rest.shapes.batch import (
    AcceptedBatchSerializer,
    BatchQuoteSerializer,
    BatchSerializer,
)
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.question import QuerySerializer, RefusalSerializer
from dpgov.queries.rest.shapes.quoting import (
    allocation_of,
    assumed_rows_of,
    fit_json,
    limit_json,
    room_json,
)
from dpgov.queries.wording.words import in_words
from dpgov.tenants.permissions import Permission
from dpgov.tenants.requests import membership_of

_EXAMPLE = OpenApiExample(
    "Two questions, one of them with a locked share",
    value={
        "epsilon": 1,
        "plans": [
            {"statistics": [{"statistic": "count"}], "share": 0.2},
            {"statistics": [{"statistic": "mean", "column": "age"}]},
        ],
    },
    request_only=True,
)


class BatchQuoteView(RefusingView):
    """Price several questions together without asking them."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="quote_batch",
        summary="Price several questions together",
        description=(
            "One amount for all; shares that are not locked are chosen so that the squared "
            "relative errors of all statistics together are least. Nothing is spent or stored."
        ),
        request=BatchSerializer,
        parameters=[docs.GUESS, docs.CHARGED],
        responses={200: BatchQuoteSerializer},
        examples=[_EXAMPLE],
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        guess, charged = assumed_rows_of(request), allocation_of(request)
        with refusals():
            priced = quote_batch(
                user=membership_of(request).user,
                dataset=dataset,
                raw_batch=request.data,
                assumed_rows=guess,
                allocation_id=charged,
            )
        return Response(_json(priced))


class BatchSubmitView(RefusingView):
    """Ask several questions: all of them or none, once per idempotency key."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="submit_batch",
        summary="Ask several questions together",
        description=(
            "Reserves the price of every question, or of none. Each becomes a question of its own, "
            "with the key of the batch, a dot and its place as its key. Refusals are those of a "
            "single question; paths begin with the place of the plan, like `plans.1.where.0`."
        ),
        request=BatchSerializer,
        parameters=[docs.KEY, docs.CHARGED],
        responses={
            202: OpenApiResponse(AcceptedBatchSerializer, description="Accepted, now or before."),
            409: OpenApiResponse(RefusalSerializer),
        },
        examples=[_EXAMPLE],
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        membership, charged = membership_of(request), allocation_of(request)

        def largest_fit() -> dict[str, float | None]:
            priced = quote_batch(
                user=membership.user,
                dataset=dataset,
                raw_batch=request.data,
                allocation_id=charged,
            )
            return fit_json(
                priced.largest_fit_nano, priced.largest_fit_epsilon_nano, priced.currency
            )

        with refusals(largest_fit):
            accepted = submit_batch(
                membership=membership,
                dataset=dataset,
                raw_batch=request.data,
                idempotency_key=request.headers.get("Idempotency-Key", ""),
                allocation_id=charged,
            )
        shown = QuerySerializer(accepted.queries, many=True, context={"request": request}).data
        return Response({"queries": shown}, status=202)


def _json(priced: Quote) -> dict[str, Any]:
    currency = priced.currency

    def question(asked: Priced) -> dict[str, Any]:
        plan = asked.blueprint.plan.as_json()
        cost = room_json("cost", asked.blueprint.cost_nano, currency)
        return {"plan": plan, "in_words": in_words(plan), **cost, "description": asked.description}

    def limit(one: Limit) -> dict[str, Any]:
        taken = room_json("needed", priced.taken[one.budget_id], one.currency)
        return {**limit_json(one), **taken, "fits": priced.fits(one)}

    return {
        **currency_in_json(currency),
        **room_json("cost", priced.cost_nano, currency),
        "cost_adds_epsilon": as_number(priced.adds_nano),
        "cost_in_words": priced.price_words,
        **fit_json(priced.largest_fit_nano, priced.largest_fit_epsilon_nano, currency),
        "accepted": priced.refusal is None,
        "refusal": priced.refusal,
        "questions": [question(asked) for asked in priced.questions],
        "limits": [limit(one) for one in priced.limits],
    }
