"""The REST API, version 1: each room names its own routes."""

from django.urls import URLPattern, URLResolver, include, path

import dpgov.tenants.openapi  # noqa: F401 - registers itself with the schema

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("dpgov.datasets.api_urls")),
    path("", include("dpgov.queries.api_urls")),
    path("", include("dpgov.dashboards.api_urls")),
]
