"""Routes of what takes two persons, within the dashboards."""

from django.urls import path

from dpgov.dashboards import approvals_requests, approvals_views, frozen_views

approvals_urlpatterns = [
    path("approvals/", approvals_views.approvals, name="approvals"),
    path("approvals/<uuid:change_id>/", approvals_views.approval, name="approval"),
    path("approvals/<uuid:change_id>/approve/", approvals_views.approve, name="approve"),
    path("approvals/<uuid:change_id>/reject/", approvals_views.reject, name="reject"),
    path("approvals/<uuid:change_id>/withdraw/", approvals_views.withdraw, name="withdraw"),
    path("datasets/<slug:slug>/limit/raise/", approvals_requests.raise_limit, name="raise_limit"),
    path("queries/<uuid:query_id>/refund/", approvals_requests.refund, name="refund"),
    path("frozen/", frozen_views.frozen, name="frozen"),
    path("frozen/<uuid:budget_id>/confirm/", frozen_views.confirm, name="confirm_frozen"),
]
