"""Routes of shared budgets, within the dashboards."""

from django.urls import path

from dpgov.dashboards import populations_codes, populations_requests, populations_views

_ONE = "populations/<uuid:population_id>/"
populations_urlpatterns = [
    path("populations/", populations_views.index, name="populations"),
    path("populations/new/", populations_views.new, name="population_new"),
    path("populations/accept/", populations_codes.accept, name="population_accept"),
    path(_ONE, populations_views.detail, name="population"),
    path(f"{_ONE}join/", populations_views.join, name="population_join"),
    path(f"{_ONE}limit/", populations_views.limit, name="population_limit"),
    path(f"{_ONE}raise/", populations_requests.raise_limit, name="population_raise"),
    path(f"{_ONE}merge/", populations_requests.merge, name="population_merge"),
    path(f"{_ONE}divide/", populations_requests.divide, name="population_divide"),
    path(f"{_ONE}share/", populations_requests.share, name="population_share"),
]
