"""REST addresses of what explains ε, below /api/v1/."""

from django.urls import path

from dpgov.explain.rest.comparison import ComparisonView

urlpatterns = [
    path("datasets/<slug:slug>/comparison/", ComparisonView.as_view(), name="dataset-comparison"),
]
