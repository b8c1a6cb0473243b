"""Routes of the officer's desk, within the dashboards."""

from django.urls import path

from dpgov.dashboards.officer import month_views, patterns_views, record_views

officer_urlpatterns = [
    path("month/", month_views.month, name="month"),
    path("month/report/", month_views.month_report, name="month_report"),
    path("month/table/", month_views.month_csv, name="month_csv"),
    path("datasets/<slug:slug>/patterns/", patterns_views.patterns, name="patterns"),
    path("datasets/<slug:slug>/record/", record_views.record, name="record"),
]
