"""Pages of questions and answers."""

from django.urls import path

from dpgov.queries import (
    views_answer,
    views_ask,
    views_batch,
    views_mock,
    views_reuse,
    views_sql,
    views_units,
)

app_name = "queries"
urlpatterns = [
    path("datasets/<slug:slug>/ask/", views_ask.ask, name="ask"),
    path("datasets/<slug:slug>/ask/sql/", views_sql.ask_sql, name="ask_sql"),
    path("datasets/<slug:slug>/rows-per-person/", views_units.unit_rows, name="unit_rows"),
    path("datasets/<slug:slug>/batch/", views_batch.batch, name="batch"),
    path("datasets/<slug:slug>/batch/add/", views_batch.put_aside, name="put_aside"),
    path("datasets/<slug:slug>/quote/", views_ask.quote, name="quote"),
    path("datasets/<slug:slug>/mock/", views_mock.try_mock, name="mock"),
    path("datasets/<slug:slug>/mock/rows.csv", views_mock.mock_file, name="mock_file"),
    path("datasets/<slug:slug>/reuse/", views_reuse.take_free, name="reuse"),
    path("queries/<uuid:query_id>/", views_answer.detail, name="detail"),
    path("queries/<uuid:query_id>/status/", views_answer.status, name="status"),
    path("queries/<uuid:query_id>/receipt/", views_answer.receipt, name="receipt"),
    path("queries/<uuid:query_id>/download/<str:fmt>/", views_answer.download, name="download"),
]
