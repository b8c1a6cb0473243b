"""Addresses of datasets in the API."""

from django.urls import path

from dpgov.datasets.rest import audience, datasets, derived, live, terms

urlpatterns = [
    path("datasets/", datasets.DatasetListView.as_view(), name="dataset-list"),
    path("datasets/derived/", derived.DeriveView.as_view(), name="dataset-derive"),
    path(
        "datasets/derived/<uuid:arrival_id>/", derived.DerivedView.as_view(), name="dataset-derived"
    ),
    path("datasets/<slug:slug>/", datasets.DatasetView.as_view(), name="dataset-detail"),
    path("datasets/<slug:slug>/budget/", datasets.BudgetView.as_view(), name="dataset-budget"),
    path(
        "datasets/<slug:slug>/audience/",
        audience.AudienceView.as_view(),
        name="dataset-audience",
    ),
    path("datasets/<slug:slug>/refresh/", live.RefreshView.as_view(), name="dataset-refresh"),
    path("datasets/<slug:slug>/terms/", terms.TermsView.as_view(), name="dataset-terms"),
    path(
        "datasets/<slug:slug>/terms/accept/",
        terms.AcceptTermsView.as_view(),
        name="dataset-terms-accept",
    ),
]
