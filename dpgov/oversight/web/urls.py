"""Routes of the officer's house."""

from django.urls import path

from dpgov.oversight.web import approvals, checkpoints, frozen, log, month, patterns, record
from dpgov.oversight.web.noise_check import noise_check

app_name = "oversight"
urlpatterns = [
    path("audit/", log.audit_log, name="audit_log"),
    path("audit/<int:sequence>/", log.audit_entry, name="audit_entry"),
    path("audit/export/<slug:fmt>/", log.audit_export, name="audit_export"),
    path("audit/verify/", log.audit_verify, name="audit_verify"),
    path("audit/checkpoints/", checkpoints.audit_checkpoints, name="audit_checkpoints"),
    path("audit/checkpoints/<int:size>/", checkpoints.audit_checkpoint, name="audit_checkpoint"),
    path("audit/keys/", checkpoints.audit_keys, name="audit_keys"),
    path("audit/consistency/", checkpoints.audit_consistency, name="audit_consistency"),
    path("audit/mechanisms/", noise_check, name="noise_check"),
    path("approvals/", approvals.approvals, name="approvals"),
    path("approvals/<uuid:change_id>/", approvals.approval, name="approval"),
    path("approvals/<uuid:change_id>/approve/", approvals.approve, name="approve"),
    path("approvals/<uuid:change_id>/reject/", approvals.reject, name="reject"),
    path("approvals/<uuid:change_id>/withdraw/", approvals.withdraw, name="withdraw"),
    path("frozen/", frozen.frozen, name="frozen"),
    path("frozen/<uuid:budget_id>/confirm/", frozen.confirm, name="confirm_frozen"),
    path("month/", month.month, name="month"),
    path("month/report/", month.month_report, name="month_report"),
    path("month/table/", month.month_csv, name="month_csv"),
    path("datasets/<slug:slug>/patterns/", patterns.patterns, name="patterns"),
    path("datasets/<slug:slug>/record/", record.record, name="record"),
]
