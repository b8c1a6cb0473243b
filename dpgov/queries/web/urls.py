"""Pages of questions and answers."""

from django.urls import path

from dpgov.queries.web import (
    answer,
    ask,
    batch,
    budget_requests,
    cancelling,
    compare,
    curve,
    free,
    mock,
    publishing,
    ready_made,
    receipt,
    saved,
    sql,
    unit_rows,
)

app_name = "queries"
urlpatterns = [
    path("datasets/<slug:slug>/ask/", ask.ask, name="ask"),
    path("datasets/<slug:slug>/ask/sql/", sql.ask_sql, name="ask_sql"),
    path("datasets/<slug:slug>/ask/sql/price/", sql.sql_price, name="sql_price"),
    path("datasets/<slug:slug>/rows-per-person/", unit_rows.unit_rows, name="unit_rows"),
    path("datasets/<slug:slug>/batch/", batch.batch, name="batch"),
    path("datasets/<slug:slug>/batch/add/", batch.put_aside, name="put_aside"),
    path("datasets/<slug:slug>/quote/", ask.quote, name="quote"),
    path("datasets/<slug:slug>/quote/curve/", curve.curve, name="curve"),
    path("datasets/<slug:slug>/mock/", mock.try_mock, name="mock"),
    path("datasets/<slug:slug>/mock/rows.csv", mock.mock_file, name="mock_file"),
    path("datasets/<slug:slug>/reuse/", free.take_free, name="reuse"),
    path("datasets/<slug:slug>/compare/", compare.compare, name="compare"),
    path("datasets/<slug:slug>/save/", saved.save, name="save"),
    path("saved/", saved.saved, name="saved"),
    path("saved/<uuid:saved_id>/remove/", saved.remove, name="saved_remove"),
    path("saved/<uuid:saved_id>/restore/", saved.restore, name="saved_restore"),
    path("datasets/<slug:slug>/ready-made/", ready_made.index, name="ready_made"),
    path("datasets/<slug:slug>/ready-made/new/", publishing.new, name="ready_made_new"),
    path(
        "datasets/<slug:slug>/ready-made/<uuid:ready_made_id>/ask/",
        ready_made.ask,
        name="ready_made_ask",
    ),
    path(
        "datasets/<slug:slug>/ready-made/<uuid:ready_made_id>/withdraw/",
        ready_made.take_back,
        name="ready_made_withdraw",
    ),
    path("datasets/<slug:slug>/request/", budget_requests.ask, name="budget_ask"),
    path("requests/", budget_requests.index, name="budget_requests"),
    path("requests/<uuid:request_id>/", budget_requests.detail, name="budget_request"),
    path("requests/<uuid:request_id>/answer/", budget_requests.answer, name="budget_answer"),
    path("requests/<uuid:request_id>/withdraw/", budget_requests.withdraw, name="budget_withdraw"),
    path("queries/<uuid:query_id>/", answer.detail, name="detail"),
    path("queries/<uuid:query_id>/cancel/", cancelling.cancel_question, name="cancel"),
    path("queries/<uuid:query_id>/status/", answer.status, name="status"),
    path("queries/<uuid:query_id>/receipt/", receipt.receipt, name="receipt"),
    path("queries/<uuid:query_id>/receipt.json", receipt.receipt_file, name="receipt_file"),
    path("queries/<uuid:query_id>/download/<str:fmt>/", answer.download, name="download"),
]
