"""Addresses of datasets in the API."""

from django.urls import path

from dpgov.datasets import api

urlpatterns = [
    path("datasets/", api.DatasetListView.as_view(), name="dataset-list"),
    path("datasets/<slug:slug>/", api.DatasetView.as_view(), name="dataset-detail"),
    path("datasets/<slug:slug>/budget/", api.BudgetView.as_view(), name="dataset-budget"),
]
