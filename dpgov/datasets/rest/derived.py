"""The REST doors of derived datasets: have two put together, and ask whether it is there."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.budgets.rest.shapes import TypedEpsilon
from dpgov.datasets import services
from dpgov.datasets.models import Arrival
from dpgov.datasets.rest.shapes import ConflictSerializer
from dpgov.datasets.services import DeclaredParent, Derivation
from dpgov.datasets.tasks import wake
from dpgov.datasets.uploaded import derived_arrival_or_404, refusal_of
from dpgov.language.translation import retold, translated
from dpgov.operation.bodies import NothingElse
from dpgov.operation.conflicts import Conflict
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, membership_of

_MOST_ROWS = 100_000
_STATES = ["waiting", "done", "refused", "cancelled"]


class SideSerializer(NothingElse):
    """What is taken of one dataset; of its newest version."""

    dataset = serializers.SlugField()
    rows_of_unit = serializers.IntegerField(min_value=1, max_value=_MOST_ROWS)
    columns = serializers.ListField(child=serializers.CharField(), max_length=500)
    prefix = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=40, trim_whitespace=False
    )


class DeriveSerializer(NothingElse):
    """Two datasets of one shared budget, and what the derived one is called and may take."""

    name = serializers.CharField(max_length=120)
    description = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=4000
    )
    first = SideSerializer()
    second = SideSerializer()
    rows_of_unit = serializers.IntegerField(
        min_value=1, max_value=_MOST_ROWS, help_text="So many joined rows of a unit are kept."
    )
    epsilon_limit = TypedEpsilon(help_text="At the δ of both datasets, where they count ρ.")
    epsilon_per_query = TypedEpsilon(help_text="The most pure ε of one question.")

    def derivation(self) -> Derivation:
        """The declaration; only after `is_valid`."""
        data = self.validated_data
        return Derivation(
            name=data["name"],
            description=data["description"],
            first=_side(data["first"]),
            second=_side(data["second"]),
            rows_of_unit=data["rows_of_unit"],
            limit_nano=data["epsilon_limit"],
            per_query_limit_nano=data["epsilon_per_query"],
        )


def _side(data: dict[str, Any]) -> DeclaredParent:
    return DeclaredParent(
        data["dataset"], data["rows_of_unit"], tuple(data["columns"]), data["prefix"]
    )


class DerivedSerializer(serializers.Serializer[Arrival]):
    """Whether it is there: nothing of how far it is."""

    id = serializers.UUIDField(source="pk")
    state = serializers.SerializerMethodField()
    dataset = serializers.SerializerMethodField()
    refusal = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(choices=_STATES))
    def get_state(self, arrival: Arrival) -> str:
        """`waiting` until a moment that the declared numbers of rows decide."""
        return "waiting" if arrival.is_running else str(arrival.state)

    @extend_schema_field(serializers.SlugField(allow_null=True))
    def get_dataset(self, arrival: Arrival) -> str | None:
        """Its short name once it is there; null before, and while it waits for an officer."""
        found = arrival.dataset
        return found.slug if found is not None and found.held_at is None else None

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_refusal(self, arrival: Arrival) -> str | None:
        """Why it was not made; null otherwise."""
        outcome = refusal_of(arrival)
        return retold(outcome) if outcome else None


class DeriveView(APIView):
    """Have two datasets put together."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_derive",
        summary="Derive a dataset from two others",
        description=(
            "Rows are matched by the column that names people in each dataset, and by nothing "
            "else. Both have to be in one shared budget; every question about the derived dataset "
            "is charged to both. The same again while it waits is the same one."
        ),
        request=DeriveSerializer,
        responses={
            202: DerivedSerializer,
            409: OpenApiResponse(
                ConflictSerializer,
                description="`one_at_a_time`: another one is not there yet; `too_many_files`.",
            ),
        },
    )
    def post(self, request: Request) -> Response:
        wanted = DeriveSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            arrival = services.ask_derived(
                membership=membership_of(request), derivation=wanted.derivation()
            )
        except InvalidDomain as problem:
            raise ValidationError({problem.field: [translated(problem.args[0])]}) from problem
        except services.OneAtATime as refusal:
            raise Conflict(str(refusal), "one_at_a_time") from refusal
        except services.TooManyFiles as refusal:
            raise Conflict(str(refusal), "too_many_files") from refusal
        wake()
        return Response(DerivedSerializer(arrival).data, status=202)


class DerivedView(APIView):
    """Whether it is there; for whoever asked for it."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_derived",
        summary="Read whether a derived dataset is there",
        responses=DerivedSerializer,
    )
    def get(self, request: Request, arrival_id: UUID) -> Response:
        return Response(DerivedSerializer(derived_arrival_or_404(request, arrival_id)).data)
