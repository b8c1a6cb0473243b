"""Pages of datasets."""

from django.urls import path

from dpgov.datasets.web import (
    archived,
    choosing,
    drafts,
    find,
    held,
    importing,
    looks,
    policy,
    reading,
    registered,
    registration,
    unit,
    versions,
)

app_name = "datasets"
urlpatterns = [
    path("datasets/", registered.index, name="list"),
    path("find/", find.search, name="find"),
    path("datasets/new/", registration.upload, name="upload"),
    path("datasets/new/<uuid:upload_id>/", registration.register, name="register"),
    path("datasets/new/<uuid:upload_id>/discard/", registration.discard, name="discard"),
    path("datasets/new/<uuid:upload_id>/import/", importing.import_columns, name="import_columns"),
    path("datasets/choosing-epsilon/", choosing.choosing, name="choosing"),
    path("datasets/choosing-epsilon/now/", choosing.choosing_now, name="choosing_now"),
    path("datasets/new/<uuid:upload_id>/draft/", drafts.save_draft, name="save_draft"),
    path("datasets/new/<uuid:upload_id>/review/", drafts.review, name="review"),
    path("datasets/new/<uuid:upload_id>/reading/", reading.reading, name="reading"),
    path("datasets/new/<uuid:upload_id>/reading/now/", reading.reading_now, name="reading_now"),
    path(
        "datasets/new/<uuid:upload_id>/reading/stop/",
        reading.cancel_reading,
        name="cancel_reading",
    ),
    path("archived/", archived.archived, name="archived"),
    path("archived/<uuid:archived_id>/delete/", archived.delete_data, name="delete_data"),
    path("new-data/", looks.new_data, name="new_data"),
    path("new-data/rule/", looks.rule, name="new_data_rule"),
    path("new-data/agreements/", looks.agreements, name="agreements"),
    path("new-data/agreements/end/", looks.end_agreement, name="end_agreement"),
    path("new-data/<uuid:version_id>/", looks.look, name="look"),
    path("datasets/held/<uuid:dataset_id>/", held.held, name="held"),
    path("datasets/<slug:slug>/", registered.detail, name="detail"),
    path("datasets/<slug:slug>/settings/", registered.settings, name="settings"),
    path("datasets/<slug:slug>/describe/", registered.describe, name="describe"),
    path("datasets/<slug:slug>/rename/", registered.rename, name="rename"),
    path("datasets/<slug:slug>/access/", registered.access, name="access"),
    path("datasets/<slug:slug>/policy/", policy.policy, name="policy"),
    path("datasets/<slug:slug>/policy/permit/", policy.permit, name="permit"),
    path("datasets/<slug:slug>/versions/", versions.versions, name="versions"),
    path(
        "datasets/<slug:slug>/versions/<uuid:upload_id>/",
        versions.add_version,
        name="add_version",
    ),
    path("datasets/<slug:slug>/unit/", unit.unit_bounds, name="unit_bounds"),
    path("datasets/<slug:slug>/limit/", registered.limit, name="limit"),
    path("datasets/<slug:slug>/archive/", registered.archive, name="archive"),
]
