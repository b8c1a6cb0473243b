"""The REST door of a dataset's audience: who sees it, for the owners who decide that."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.datasets import services
from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset, Viewer
from dpgov.datasets.selectors import dataset_or_404
from dpgov.operation.bodies import NothingElse
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.permissions import Permission, membership_of
from dpgov.tenants.roles import having


class ViewerSerializer(serializers.Serializer[Viewer]):
    """A named person."""

    email = serializers.EmailField(source="membership.user.email")
    named_by = serializers.EmailField(source="named_by.email")
    named_at = serializers.DateTimeField()


class AudienceSerializer(serializers.Serializer[Any]):
    """Who sees the dataset beside owners, officers and administrators."""

    named_only = serializers.BooleanField(
        help_text="Whether only named people see it; otherwise everybody in the organisation does."
    )
    viewers = ViewerSerializer(
        many=True, help_text="Who is named. It counts while `named_only` is true."
    )


class AudienceChangeSerializer(NothingElse):
    """What shall be otherwise; what is left out stays as it is."""

    named_only = serializers.BooleanField(required=False)
    viewers = serializers.ListField(
        child=serializers.EmailField(),
        required=False,
        max_length=services.MOST_VIEWERS,
        help_text="The addresses of all analysts who are named: those left out are not any more.",
    )


class AudienceView(APIView):
    """Who sees a dataset."""

    permission = Permission.REGISTER_DATASETS

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_audience",
        summary="Read who sees a dataset",
        responses=AudienceSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(_told(dataset_or_404(request, slug)))

    @extend_schema(
        tags=["datasets"],
        operation_id="datasets_change_audience",
        summary="Change who sees a dataset",
        description=(
            "Only analysts are named, and nobody names themselves: 400 at `viewers`. To people who "
            "are not named a named-only dataset is not there. The same again changes nothing."
        ),
        request=AudienceChangeSerializer,
        responses=AudienceSerializer,
    )
    def patch(self, request: Request, slug: str) -> Response:
        dataset = dataset_or_404(request, slug)
        wanted = AudienceChangeSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            services.change_audience(
                dataset=dataset,
                named_only=wanted.validated_data.get("named_only"),
                named=_named(dataset, wanted.validated_data.get("viewers")),
                user=membership_of(request).user,
            )
        except (services.OwnNaming, services.NoAnalyst, services.TooManyViewers) as refusal:
            raise ValidationError({"viewers": [str(refusal)]}) from refusal
        except Dataset.DoesNotExist as missing:
            raise NotFound from missing
        return Response(_told(dataset_or_404(request, slug)))


def _named(dataset: Dataset, emails: list[str] | None) -> list[UUID] | None:
    """The memberships of these addresses; None where none were sent: whoever is named stays so."""
    if emails is None:
        return None
    analysts = Membership.objects.filter(having(Role.ANALYST), tenant=dataset.tenant_id)
    found = analysts.values_list("user__email", "pk")
    known = {email.casefold(): pk for email, pk in found}
    wanted = {email.casefold() for email in emails}
    if not wanted <= known.keys():
        raise services.NoAnalyst
    return [known[email] for email in wanted]


def _told(dataset: Dataset) -> dict[str, Any]:
    body = {"named_only": dataset.named_only, "viewers": viewers_of(dataset)}
    return dict(AudienceSerializer(body).data)
