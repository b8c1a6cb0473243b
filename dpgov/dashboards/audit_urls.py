"""Routes of the officer's pages, within the dashboards."""

from django.urls import path

from dpgov.dashboards import audit_checkpoint_views as checkpoints
from dpgov.dashboards import audit_views
from dpgov.dashboards.self_audit_views import self_audit

audit_urlpatterns = [
    path("audit/", audit_views.audit_log, name="audit_log"),
    path("audit/<int:sequence>/", audit_views.audit_entry, name="audit_entry"),
    path("audit/export/<slug:fmt>/", audit_views.audit_export, name="audit_export"),
    path("audit/verify/", audit_views.audit_verify, name="audit_verify"),
    path("audit/checkpoints/", checkpoints.audit_checkpoints, name="audit_checkpoints"),
    path("audit/checkpoints/<int:size>/", checkpoints.audit_checkpoint, name="audit_checkpoint"),
    path("audit/keys/", checkpoints.audit_keys, name="audit_keys"),
    path("audit/consistency/", checkpoints.audit_consistency, name="audit_consistency"),
    path("audit/mechanisms/", self_audit, name="self_audit"),
]
