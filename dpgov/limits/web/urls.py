"""Routes of limits and shared budgets."""

from django.urls import path

from dpgov.limits.web import limits, requests
from dpgov.limits.web.shared_budgets import changes, codes, pages

_ONE = "shared-budgets/<uuid:shared_budget_id>/"
app_name = "limits"
urlpatterns = [
    path("datasets/<slug:slug>/limit/raise/", requests.raise_limit, name="raise_limit"),
    path("queries/<uuid:query_id>/refund/", requests.refund, name="refund"),
    path("datasets/<slug:slug>/limits/", limits.limits, name="limits"),
    path("datasets/<slug:slug>/limits/allocations/new/", limits.grant, name="allocation_new"),
    path(
        "datasets/<slug:slug>/limits/allocations/<uuid:allocation_id>/",
        limits.change_allocation,
        name="allocation_change",
    ),
    path(
        "datasets/<slug:slug>/limits/allocations/<uuid:allocation_id>/withdraw/",
        limits.withdraw_allocation,
        name="allocation_withdraw",
    ),
    path("datasets/<slug:slug>/limits/rates/<str:period>/", limits.rate, name="rate"),
    path("shared-budgets/", pages.index, name="shared_budgets"),
    path("shared-budgets/new/", pages.new, name="shared_budget_new"),
    path("shared-budgets/accept/", codes.accept, name="shared_budget_accept"),
    path(_ONE, pages.detail, name="shared_budget"),
    path(f"{_ONE}join/", pages.join, name="shared_budget_join"),
    path(f"{_ONE}limit/", pages.limit, name="shared_budget_limit"),
    path(f"{_ONE}raise/", requests.raise_shared_limit, name="shared_budget_raise"),
    path(f"{_ONE}merge/", changes.merge, name="shared_budget_merge"),
    path(f"{_ONE}divide/", changes.divide, name="shared_budget_divide"),
    path(f"{_ONE}share/", changes.share, name="shared_budget_share"),
]
