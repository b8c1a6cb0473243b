"""Checkpoints over the API, for the officer: the signed notes, and proofs between them."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.receipts.proofs import NoSuchCheckpoint, consistency
from dpgov.audit.selectors import checkpoints_of
from dpgov.operation.paging import ByPosition
from dpgov.tenants.permissions import MemberApiRequest, Permission


class AuditCheckpointSerializer(serializers.ModelSerializer[AuditCheckpoint]):
    """A signed note, and what it says."""

    root_hash = serializers.SerializerMethodField()

    class Meta:
        model = AuditCheckpoint
        fields = ("size", "root_hash", "note", "at")
        read_only_fields = fields

    def get_root_hash(self, checkpoint: AuditCheckpoint) -> str:
        """The root of the hash tree in hex."""
        return bytes(checkpoint.root).hex()


class LargestFirst(ByPosition):
    """Pages by size."""

    ordering = "-size"
    page_size = 100


class AuditCheckpointList(generics.ListAPIView[AuditCheckpoint]):
    """The signed checkpoints of your tenant's audit log, newest first."""

    request: MemberApiRequest
    permission = Permission.READ_AUDIT_LOG
    serializer_class = AuditCheckpointSerializer
    pagination_class = LargestFirst
    queryset = AuditCheckpoint.objects.none()

    @extend_schema(tags=["audit"], summary="Read the checkpoints")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """As they were delivered."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[AuditCheckpoint]:
        """The checkpoints of the token's organisation alone."""
        return checkpoints_of(self.request.membership.tenant_id)


class TwoCheckpointsSerializer(serializers.Serializer[Any]):
    """Which two."""

    old = serializers.IntegerField(min_value=1, max_value=10**17, help_text="Its entries.")
    new = serializers.IntegerField(min_value=1, max_value=10**17, help_text="Its entries.")

    def validate(self, attrs: dict[str, int]) -> dict[str, int]:
        """The later one has at least as many entries."""
        if attrs["new"] < attrs["old"]:
            raise serializers.ValidationError({"new": "It must have more entries than `old`."})
        return attrs


class ConsistencySerializer(serializers.Serializer[Any]):
    """A proof of RFC 6962 between two signed notes."""

    format = serializers.CharField()
    old_checkpoint = serializers.CharField()
    new_checkpoint = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField(), help_text="Hashes in hex.")
    public_keys = serializers.ListField(child=serializers.CharField())


class AuditConsistency(APIView):
    """The proof that a later checkpoint contains all that an earlier one was signed over."""

    permission = Permission.READ_AUDIT_LOG

    @extend_schema(
        tags=["audit"],
        summary="Prove that one checkpoint extends another",
        parameters=[TwoCheckpointsSerializer],
        responses=ConsistencySerializer,
    )
    def get(self, request: MemberApiRequest) -> Response:
        """The proof; `python -m dpgov.audit.verify --consistency` checks it."""
        chosen = TwoCheckpointsSerializer(data=request.query_params)
        chosen.is_valid(raise_exception=True)
        try:
            proof = consistency(tenant_id=request.membership.tenant_id, **chosen.validated_data)
        except NoSuchCheckpoint as missing:
            raise NotFound(str(missing)) from missing
        return Response(ConsistencySerializer(proof).data)
