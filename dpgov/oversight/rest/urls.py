"""REST addresses of the audit log, below /api/v1/."""

from django.urls import path

from dpgov.oversight.rest.checkpoints import AuditCheckpointList, AuditConsistency
from dpgov.oversight.rest.log import AuditEntryList, AuditVerify

urlpatterns = [
    path("audit/entries/", AuditEntryList.as_view(), name="audit-entries"),
    path("audit/verify/", AuditVerify.as_view(), name="audit-verify"),
    path("audit/checkpoints/", AuditCheckpointList.as_view(), name="audit-checkpoints"),
    path("audit/consistency/", AuditConsistency.as_view(), name="audit-consistency"),
]
