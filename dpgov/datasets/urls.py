"""Pages of datasets."""

from django.urls import path

from dpgov.datasets import (
    views,
    views_archived,
    views_choosing,
    views_draft,
    views_find,
    views_held,
    views_import,
    views_looks,
    views_policy,
    views_reading,
    views_registration,
    views_unit,
    views_versions,
)

app_name = "datasets"
urlpatterns = [
    path("datasets/", views.index, name="list"),
    path("find/", views_find.search, name="find"),
    path("datasets/new/", views_registration.upload, name="upload"),
    path("datasets/new/<uuid:upload_id>/", views_registration.register, name="register"),
    path("datasets/new/<uuid:upload_id>/discard/", views_registration.discard, name="discard"),
    path(
        "datasets/new/<uuid:upload_id>/import/", views_import.import_columns, name="import_columns"
    ),
    path("datasets/choosing-epsilon/", views_choosing.choosing, name="choosing"),
    path("datasets/choosing-epsilon/now/", views_choosing.choosing_now, name="choosing_now"),
    path("datasets/new/<uuid:upload_id>/draft/", views_draft.save_draft, name="save_draft"),
    path("datasets/new/<uuid:upload_id>/review/", views_draft.review, name="review"),
    path("datasets/new/<uuid:upload_id>/reading/", views_reading.reading, name="reading"),
    path(
        "datasets/new/<uuid:upload_id>/reading/now/", views_reading.reading_now, name="reading_now"
    ),
    path(
        "datasets/new/<uuid:upload_id>/reading/stop/",
        views_reading.cancel_reading,
        name="cancel_reading",
    ),
    path("archived/", views_archived.archived, name="archived"),
    path("archived/<uuid:archived_id>/delete/", views_archived.delete_data, name="delete_data"),
    path("new-data/", views_looks.new_data, name="new_data"),
    path("new-data/rule/", views_looks.rule, name="new_data_rule"),
    path("new-data/agreements/", views_looks.agreements, name="agreements"),
    path("new-data/agreements/end/", views_looks.end_agreement, name="end_agreement"),
    path("new-data/<uuid:version_id>/", views_looks.look, name="look"),
    path("datasets/held/<uuid:dataset_id>/", views_held.held, name="held"),
    path("datasets/<slug:slug>/", views.detail, name="detail"),
    path("datasets/<slug:slug>/describe/", views.describe, name="describe"),
    path("datasets/<slug:slug>/rename/", views.rename, name="rename"),
    path("datasets/<slug:slug>/access/", views.access, name="access"),
    path("datasets/<slug:slug>/policy/", views_policy.policy, name="policy"),
    path("datasets/<slug:slug>/policy/permit/", views_policy.permit, name="permit"),
    path("datasets/<slug:slug>/versions/", views_versions.versions, name="versions"),
    path(
        "datasets/<slug:slug>/versions/<uuid:upload_id>/",
        views_versions.add_version,
        name="add_version",
    ),
    path("datasets/<slug:slug>/unit/", views_unit.unit_bounds, name="unit_bounds"),
    path("datasets/<slug:slug>/limit/", views.limit, name="limit"),
    path("datasets/<slug:slug>/archive/", views.archive, name="archive"),
]
