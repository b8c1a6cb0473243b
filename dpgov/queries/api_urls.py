"""REST addresses of questions, below /api/v1/."""

from django.urls import path

from dpgov.queries import api, api_batch, api_mock, api_reuse, api_sql

urlpatterns = [
    path("datasets/<slug:slug>/quote/", api.QuoteView.as_view(), name="quote"),
    path("datasets/<slug:slug>/quotes/", api_batch.BatchQuoteView.as_view(), name="batch-quote"),
    path("datasets/<slug:slug>/batches/", api_batch.BatchSubmitView.as_view(), name="batch-submit"),
    path("datasets/<slug:slug>/sql/", api_sql.SqlView.as_view(), name="sql"),
    path("datasets/<slug:slug>/mock/", api_mock.MockAnswerView.as_view(), name="mock"),
    path("datasets/<slug:slug>/mock/rows/", api_mock.MockRowsView.as_view(), name="mock-rows"),
    path("datasets/<slug:slug>/reuse/", api_reuse.ReuseView.as_view(), name="reuse"),
    path("datasets/<slug:slug>/queries/", api.SubmitView.as_view(), name="query-submit"),
    path("queries/", api.QueryListView.as_view(), name="query-list"),
    path("queries/<uuid:query_id>/", api.QueryView.as_view(), name="query-detail"),
    path("queries/<uuid:query_id>/release/", api.ReleaseView.as_view(), name="query-release"),
    path("queries/<uuid:query_id>/receipt/", api.ReceiptView.as_view(), name="query-receipt"),
]
