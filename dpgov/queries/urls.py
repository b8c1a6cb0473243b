"""Pages of questions and answers."""

from django.urls import path

from dpgov.queries import (
    views_answer,
    views_ask,
    views_batch,
    views_compare,
    views_mock,
    views_requests,
    views_reuse,
    views_saved,
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
    path("datasets/<slug:slug>/compare/", views_compare.compare, name="compare"),
    path("datasets/<slug:slug>/save/", views_saved.save, name="save"),
    path("saved/", views_saved.saved, name="saved"),
    path("saved/<uuid:saved_id>/remove/", views_saved.remove, name="saved_remove"),
    path("saved/<uuid:saved_id>/restore/", views_saved.restore, name="saved_restore"),
    path("datasets/<slug:slug>/request/", views_requests.ask, name="budget_ask"),
    path("requests/", views_requests.index, name="budget_requests"),
    path("requests/<uuid:request_id>/", views_requests.detail, name="budget_request"),
    path("requests/<uuid:request_id>/answer/", views_requests.answer, name="budget_answer"),
    path("requests/<uuid:request_id>/withdraw/", views_requests.withdraw, name="budget_withdraw"),
    path("queries/<uuid:query_id>/", views_answer.detail, name="detail"),
    path("queries/<uuid:query_id>/status/", views_answer.status, name="status"),
    path("queries/<uuid:query_id>/receipt/", views_answer.receipt, name="receipt"),
    path("queries/<uuid:query_id>/download/<str:fmt>/", views_answer.download, name="download"),
]
