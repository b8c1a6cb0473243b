"""API routes of the dashboards: the audit log."""

from django.urls import path

from dpgov.dashboards.audit_api import AuditEntryList, AuditVerify

urlpatterns = [
    path("audit/entries/", AuditEntryList.as_view(), name="audit-entries"),
    path("audit/verify/", AuditVerify.as_view(), name="audit-verify"),
]
