"""Routes of the pages that explain ε, and of the glossary."""

from django.urls import path

from dpgov.dashboards import understanding_views as views

understanding_urlpatterns = [
    path("understanding/", views.understanding_general, name="understanding_general"),
    path("datasets/<slug:slug>/understanding/", views.understanding, name="understanding"),
    path("glossary/", views.glossary, name="glossary"),
]
