"""API routes of the dashboards: the audit log, and accounts beside the dataset's own."""

from django.urls import path

from dpgov.dashboards.audit_api import AuditEntryList, AuditVerify
from dpgov.dashboards.audit_checkpoint_api import AuditCheckpointList, AuditConsistency
from dpgov.dashboards.comparison_api import ComparisonView

urlpatterns = [
    path("datasets/<slug:slug>/comparison/", ComparisonView.as_view(), name="dataset-comparison"),
    path("audit/entries/", AuditEntryList.as_view(), name="audit-entries"),
    path("audit/verify/", AuditVerify.as_view(), name="audit-verify"),
    path("audit/checkpoints/", AuditCheckpointList.as_view(), name="audit-checkpoints"),
    path("audit/consistency/", AuditConsistency.as_view(), name="audit-consistency"),
]
