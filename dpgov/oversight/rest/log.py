"""The audit log over the API, for the officer: read page by page, and verify."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dpgov.audit.actions import Action
from dpgov.audit.archive.reading import older_of
from dpgov.audit.entry import FACT_NAMES, iso
from dpgov.audit.models import AuditEntry
from dpgov.audit.recheck import Recheck
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.audit.services import verify_and_record
from dpgov.budgets.findings import ledger_findings
from dpgov.operation.bodies import refuse_any
from dpgov.operation.moments import MomentField
from dpgov.operation.paging import ByPosition
from dpgov.tenants.permissions import MemberApiRequest, Permission
from dpgov.tenants.selectors import actor_of


class AuditEntrySerializer(serializers.ModelSerializer[AuditEntry]):
    """The facts exactly as hashed, and the leaf hash."""

    at = serializers.SerializerMethodField()
    leaf_hash = serializers.SerializerMethodField()

    class Meta:
        model = AuditEntry
        fields = (*FACT_NAMES, "leaf_hash")
        read_only_fields = fields

    def get_at(self, entry: AuditEntry) -> str:
        """UTC with microseconds, the text that was hashed."""
        return iso(entry.at)

    def get_leaf_hash(self, entry: AuditEntry) -> str:
        """SHA-256 of 0x00 and the canonical JSON of the facts, in hex."""
        return bytes(entry.leaf_hash).hex()


class EntryFilterSerializer(serializers.Serializer[EntryFilter]):
    """The filter of the list."""

    actor = serializers.CharField(required=False, max_length=254, help_text="As the log wrote it.")
    action = serializers.ChoiceField(required=False, choices=[a.value for a in Action])
    dataset = serializers.CharField(required=False, max_length=200, help_text="Its short name.")
    since = MomentField(required=False)
    until = MomentField(required=False, help_text="Exclusive.")


class VerdictSerializer(serializers.Serializer[Recheck]):
    """What a verification found."""

    intact = serializers.BooleanField()
    first = serializers.IntegerField(help_text="Number of the first entry that was read again.")
    last = serializers.IntegerField(help_text="Number of the last one.")
    size = serializers.IntegerField(help_text="How many entries the log has.")
    problems = serializers.ListField(child=serializers.CharField())
    unread = serializers.ListField(
        child=serializers.CharField(), help_text="Archived entries that could not be found."
    )
    ledger_findings = serializers.ListField(child=serializers.CharField())


class NewestFirst(ByPosition):
    """Pages by place in the log: as fast at the end of a long log as at its beginning."""

    page_size = 100

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        """The order that the filter needs (`entries_of`)."""
        return tuple(map(str, queryset.query.order_by))

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Looks up what the archive has beside the page."""
        older = older_of(request.membership.tenant_id)  # type: ignore[attr-defined]
        self._archive = older.sentence if older else ""
        return super().paginate_queryset(queryset, request, view)

    def get_paginated_response(self, data: Any) -> Response:
        """With one more member, `archive`."""
        found = super().get_paginated_response(data)
        found.data["archive"] = self._archive
        return found

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Likewise."""
        found: dict[str, Any] = super().get_paginated_response_schema(schema)
        found["properties"]["archive"] = {
            "type": "string",
            "description": "Which entries this list no longer has, and where they are.",
        }
        return found


class AuditEntryList(generics.ListAPIView[AuditEntry]):
    """Read the audit log of your tenant, newest entries first."""

    request: MemberApiRequest
    permission = Permission.READ_AUDIT_LOG
    serializer_class = AuditEntrySerializer
    pagination_class = NewestFirst
    queryset = AuditEntry.objects.none()

    @extend_schema(tags=["audit"], summary="Read the audit log", parameters=[EntryFilterSerializer])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The entries that pass the filter."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[AuditEntry]:
        """The entries of the token's organisation alone."""
        query = EntryFilterSerializer(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return entries_of(self.request.membership.tenant_id, EntryFilter(**query.validated_data))


class AuditVerify(APIView):
    """Verify the audit log and the ledger of your tenant now; the check itself is recorded."""

    permission = Permission.READ_AUDIT_LOG

    @extend_schema(
        tags=["audit"],
        summary="Verify the audit log and the ledger",
        request=None,
        responses=VerdictSerializer,
    )
    def post(self, request: MemberApiRequest) -> Response:
        """Read the log again, or the next part of a long one, and re-add the whole ledger."""
        refuse_any(request.data)
        tenant = request.membership.tenant
        verdict = verify_and_record(tenant_id=tenant.id, actor=actor_of(request.user))
        body: Any = {
            "intact": verdict.intact,
            "first": verdict.first,
            "last": verdict.last,
            "size": verdict.size,
            "problems": list(verdict.problems),
            "unread": list(verdict.unread),
            "ledger_findings": ledger_findings(tenant),
        }
        return Response(VerdictSerializer(body).data)
