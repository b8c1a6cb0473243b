"""Routes of limits and shared budgets; `dashboards` is their namespace."""

from django.urls import path

from dpgov.limits.web import limits, population_codes, population_requests, populations, requests

_ONE = "populations/<uuid:population_id>/"
limits_urlpatterns = [
    path("datasets/<slug:slug>/limit/raise/", requests.raise_limit, name="raise_limit"),
    path("queries/<uuid:query_id>/refund/", requests.refund, name="refund"),
    path("datasets/<slug:slug>/limits/", limits.limits, name="limits"),
    path("datasets/<slug:slug>/limits/grant/", limits.grant, name="allocation_new"),
    path(
        "datasets/<slug:slug>/limits/grants/<uuid:allocation_id>/",
        limits.change_grant,
        name="allocation_change",
    ),
    path(
        "datasets/<slug:slug>/limits/grants/<uuid:allocation_id>/withdraw/",
        limits.withdraw_grant,
        name="allocation_withdraw",
    ),
    path("datasets/<slug:slug>/limits/rates/<str:period>/", limits.rate, name="rate"),
    path("populations/", populations.index, name="populations"),
    path("populations/new/", populations.new, name="population_new"),
    path("populations/accept/", population_codes.accept, name="population_accept"),
    path(_ONE, populations.detail, name="population"),
    path(f"{_ONE}join/", populations.join, name="population_join"),
    path(f"{_ONE}limit/", populations.limit, name="population_limit"),
    path(f"{_ONE}raise/", requests.raise_shared_limit, name="population_raise"),
    path(f"{_ONE}merge/", population_requests.merge, name="population_merge"),
    path(f"{_ONE}divide/", population_requests.divide, name="population_divide"),
    path(f"{_ONE}share/", population_requests.share, name="population_share"),
]
