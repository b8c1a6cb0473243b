"""Routes of the dashboards."""

from django.urls import path

from dpgov.dashboards import views
from dpgov.dashboards.approvals_urls import approvals_urlpatterns
from dpgov.dashboards.audit_urls import audit_urlpatterns
from dpgov.dashboards.populations_urls import populations_urlpatterns

app_name = "dashboards"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("datasets/<slug:slug>/budget/", views.budget, name="budget"),
    path("datasets/<slug:slug>/group-privacy/", views.group_privacy, name="group_privacy"),
    path("history/", views.history, name="history"),
    path("history/export/", views.history_export, name="history_export"),
    *approvals_urlpatterns,
    *audit_urlpatterns,
    *populations_urlpatterns,
]
