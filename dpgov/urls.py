"""Every door of the product; each room names its own routes."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularSwaggerSplitView

import dpgov.tenants.rest.openapi  # noqa: F401 - registers itself with the schema
from dpgov.monitoring.health import healthz, readyz
from dpgov.monitoring.metrics import metrics
from dpgov.operation.described import SchemaView
from dpgov.tenants.sign_in.addresses import AddressView

_API: list[URLPattern | URLResolver] = [
    path("", include("dpgov.datasets.rest.urls")),
    path("", include("dpgov.queries.rest.urls")),
    path("", include("dpgov.explain.rest.urls")),
    path("", include("dpgov.oversight.rest.urls")),
    path("", include("dpgov.surveys.rest.urls")),
    path("", include("dpgov.joint.rest.urls")),
]
urlpatterns: list[URLPattern | URLResolver] = [
    # First, because each of the others would be tried before it.
    path("api/v1/", include((_API, "v1"))),
    path("", include("dpgov.dashboards.urls")),
    path("", include("dpgov.oversight.web.urls")),
    path("", include("dpgov.limits.web.urls")),
    path("", include("dpgov.explain.web.urls")),
    path("", include("dpgov.datasets.web.urls")),
    path("", include("dpgov.queries.web.urls")),
    path("", include("dpgov.surveys.web.urls")),
    path("", include("dpgov.joint.web.urls")),
    path("", include("dpgov.notices.web.urls")),
    path("", include("dpgov.approvals.web.urls")),
    path("", include("dpgov.tenants.web.urls")),
    path("account/email/", AddressView.as_view(), name="account_email"),
    path("account/", include("allauth.account.urls")),
    path("account/mfa/", include("allauth.mfa.urls")),
    path("account/sessions/", include("allauth.usersessions.urls")),
    path("account/connections/", include("allauth.socialaccount.urls")),
    path("account/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("api/schema/", SchemaView.as_view(api_version="v1"), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(), name="api_docs"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
handler404 = "dpgov.tenants.rest.nowhere.not_found"
handler500 = "dpgov.operation.outage.server_error"
