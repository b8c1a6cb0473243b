"""API routes of the dashboards: the audit log."""

from django.urls import path

from dpgov.dashboards.audit_api import AuditEntryList, AuditVerify
from dpgov.dashboards.audit_checkpoint_api import AuditCheckpointList, AuditConsistency

urlpatterns = [
    path("audit/entries/", AuditEntryList.as_view(), name="audit-entries"),
    path("audit/verify/", AuditVerify.as_view(), name="audit-verify"),
    path("audit/checkpoints/", AuditCheckpointList.as_view(), name="audit-checkpoints"),
    path("audit/consistency/", AuditConsistency.as_view(), name="audit-consistency"),
]
