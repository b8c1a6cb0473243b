"""Routes of the dashboards."""

from django.urls import path

from dpgov.dashboards import guarantee_views, limits_views, views
from dpgov.dashboards.approvals_urls import approvals_urlpatterns
from dpgov.dashboards.audit_urls import audit_urlpatterns
from dpgov.dashboards.desks.views import desk
from dpgov.dashboards.officer.urls import officer_urlpatterns
from dpgov.dashboards.populations_urls import populations_urlpatterns
from dpgov.dashboards.understanding_urls import understanding_urlpatterns

app_name = "dashboards"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("desk/", desk, name="desk"),
    path("datasets/<slug:slug>/budget/", views.budget, name="budget"),
    path("datasets/<slug:slug>/limits/", limits_views.limits, name="limits"),
    path("datasets/<slug:slug>/limits/grant/", limits_views.grant, name="allocation_new"),
    path(
        "datasets/<slug:slug>/limits/grants/<uuid:allocation_id>/",
        limits_views.change_grant,
        name="allocation_change",
    ),
    path(
        "datasets/<slug:slug>/limits/grants/<uuid:allocation_id>/withdraw/",
        limits_views.withdraw_grant,
        name="allocation_withdraw",
    ),
    path("datasets/<slug:slug>/limits/rates/<str:period>/", limits_views.rate, name="rate"),
    path("datasets/<slug:slug>/comparison/", guarantee_views.comparison, name="comparison"),
    path(
        "datasets/<slug:slug>/group-privacy/", guarantee_views.group_privacy, name="group_privacy"
    ),
    path("history/", views.history, name="history"),
    path("history/export/", views.history_export, name="history_export"),
    *approvals_urlpatterns,
    *audit_urlpatterns,
    *officer_urlpatterns,
    *populations_urlpatterns,
    *understanding_urlpatterns,
]
