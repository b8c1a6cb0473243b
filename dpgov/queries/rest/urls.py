"""REST addresses of questions, below /api/v1/."""

from django.urls import path

from dpgov.queries.rest import (
    approvals,
    cancelling,
    curve,
    free,
    mock,
    questions,
    ready_made,
    sql,
    synthetic,
)

urlpatterns = [
    path("datasets/<slug:slug>/quote/", questions.QuoteView.as_view(), name="quote"),
    path("datasets/<slug:slug>/quote/curve/", curve.CurveView.as_view(), name="curve"),
    path("datasets/<slug:slug>/quotes/", questions.BatchQuoteView.as_view(), name="batch-quote"),
    path("datasets/<slug:slug>/batches/", questions.BatchSubmitView.as_view(), name="batch-submit"),
    path("datasets/<slug:slug>/sql/", sql.SqlView.as_view(), name="sql"),
    path("datasets/<slug:slug>/mock/", mock.MockAnswerView.as_view(), name="mock"),
    path("datasets/<slug:slug>/mock/rows/", mock.MockRowsView.as_view(), name="mock-rows"),
    path("datasets/<slug:slug>/reuse/", free.ReuseView.as_view(), name="reuse"),
    path("datasets/<slug:slug>/queries/", questions.SubmitView.as_view(), name="query-submit"),
    path(
        "datasets/<slug:slug>/approvals/",
        approvals.ApprovalListView.as_view(),
        name="approval-list",
    ),
    path(
        "datasets/<slug:slug>/approvals/<uuid:approval_id>/",
        approvals.ApprovalView.as_view(),
        name="approval",
    ),
    path(
        "datasets/<slug:slug>/approvals/<uuid:approval_id>/withdraw/",
        approvals.WithdrawView.as_view(),
        name="approval-withdraw",
    ),
    path(
        "datasets/<slug:slug>/ready-made/",
        ready_made.ReadyMadeListView.as_view(),
        name="ready-made-list",
    ),
    path(
        "datasets/<slug:slug>/ready-made/<uuid:ready_made_id>/",
        ready_made.ReadyMadeView.as_view(),
        name="ready-made",
    ),
    path("queries/", questions.QueryListView.as_view(), name="query-list"),
    path("queries/<uuid:query_id>/", questions.QueryView.as_view(), name="query-detail"),
    path("queries/<uuid:query_id>/cancel/", cancelling.CancelView.as_view(), name="query-cancel"),
    path("queries/<uuid:query_id>/release/", questions.ReleaseView.as_view(), name="query-release"),
    path("queries/<uuid:query_id>/groups/", questions.GroupsView.as_view(), name="query-groups"),
    path(
        "queries/<uuid:query_id>/synthetic/",
        synthetic.SyntheticView.as_view(),
        name="query-synthetic",
    ),
    path("queries/<uuid:query_id>/receipt/", questions.ReceiptView.as_view(), name="query-receipt"),
]
