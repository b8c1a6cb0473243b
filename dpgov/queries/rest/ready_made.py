"""The REST doors of ready-made questions: the list of a dataset, and asking one of them."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from dpgov.budgets.rest.shapes import Epsilon, Rho
from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.bodies import NothingElse, refuse_unknown
from dpgov.queries.asking.ready_made import Offered, Withdrawn, offered_to
from dpgov.queries.asking.submit import submit_ready_made
from dpgov.queries.rest.shapes.again import dataset_to_ask, key_of
from dpgov.queries.rest.shapes.docs import CHARGED, KEY
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.question import QuerySerializer, RefusalSerializer
from dpgov.queries.rest.shapes.quoting import allocation_of
from dpgov.tenants.permissions import Permission, membership_of


class ReadyMadeSerializer(serializers.Serializer[Offered]):
    """A question that an owner approved beforehand, with what its quota leaves you."""

    id = serializers.UUIDField(source="ready_made.pk")
    name = serializers.CharField(source="ready_made.name")
    purpose = serializers.CharField(source="ready_made.purpose")
    plan = serializers.JSONField(
        source="ready_made.plan",
        help_text='A plan in which a value may be {"parameter": name}.',
    )
    parameters = serializers.JSONField(
        source="ready_made.parameters",
        help_text="Each with its name and column, and its choices or its range, from and to.",
    )
    epsilon = Epsilon(
        "cost_nano",
        source="ready_made",
        help_text="What it costs; where ρ adds up, the pure ε of one such question.",
    )
    rho = Rho("cost_nano", source="ready_made")
    left_for_you = serializers.IntegerField(
        source="left_for_me", allow_null=True, help_text="Null: as often as the budget admits."
    )
    left_for_all = serializers.IntegerField(allow_null=True)


class ValuesSerializer(NothingElse):
    """What is put into the blanks, by their names."""

    values = serializers.DictField(required=False)


class ReadyMadeListView(RefusingView):
    """The ready-made questions of a dataset."""

    permission = Permission.VIEW_DATASETS

    @extend_schema(
        tags=["queries"],
        operation_id="list_ready_made_questions",
        summary="List the ready-made questions of a dataset",
        responses={200: ReadyMadeSerializer(many=True)},
    )
    def get(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        found: Any = offered_to(membership_of(request).user, dataset)
        return Response(ReadyMadeSerializer(found, many=True).data)


class ReadyMadeView(RefusingView):
    """Ask one of them."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        tags=["queries"],
        operation_id="ask_ready_made_question",
        summary="Ask a ready-made question",
        description=(
            "Only the values of its parameters are sent. It is admitted like every other question, "
            "at its fixed price; besides, its quota counts. Refusals: 400 for a value outside what "
            "was declared, 404 for a question that is not published, 409 `quota_used_up` and those "
            "of asking a question."
        ),
        request=ValuesSerializer,
        parameters=[KEY, CHARGED],
        responses={
            202: OpenApiResponse(QuerySerializer, description="Accepted, now or before."),
            409: RefusalSerializer,
        },
    )
    def post(self, request: Request, slug: str, ready_made_id: UUID) -> Response:
        dataset = dataset_to_ask(request, slug)
        with refusals(), _missing_as_such():
            accepted = submit_ready_made(
                membership=membership_of(request),
                dataset=dataset,
                ready_made_id=ready_made_id,
                values=_values(request),
                idempotency_key=key_of(request),
                allocation_id=allocation_of(request),
            )
        location = reverse("query-detail", args=[accepted.query.pk], request=request)
        body = QuerySerializer(accepted.query, context={"request": request}).data
        return Response(body, status=202, headers={"Location": location})


@contextmanager
def _missing_as_such() -> Generator[None]:
    """One that was withdrawn, or that is another dataset's, is as one that never was: 404."""
    try:
        yield
    except Withdrawn as missing:
        raise NotFound(str(missing)) from missing


def _values(request: Request) -> object:
    body = request.data
    refuse_unknown(body, ("values",))
    if not isinstance(body, dict):
        raise ValidationError({"values": ["Send the values of the parameters under this key."]})
    return body.get("values", {})
