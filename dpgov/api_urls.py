"""The REST API, version 1: each room names its own routes."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(f"dpgov.{room}.api_urls"))
    for room in ("datasets", "queries", "dashboards")
    if find_spec(f"dpgov.{room}.api_urls")
]
