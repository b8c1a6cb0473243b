"""Pages about notices and webhooks."""

from django.urls import path

from dpgov.notices import views, views_webhooks

app_name = "notices"
urlpatterns = [
    path("notices/", views.notices, name="list"),
    path("notices/read/", views.read_all, name="read_all"),
    path("notices/choices/", views.choices, name="choices"),
    path("notices/<uuid:notice_id>/read/", views.read, name="read"),
    path("webhooks/", views_webhooks.webhook_list, name="webhooks"),
    path("webhooks/<uuid:webhook_id>/", views_webhooks.webhook, name="webhook"),
    path("webhooks/<uuid:webhook_id>/secret/", views_webhooks.renew, name="webhook_secret"),
    path("webhooks/<uuid:webhook_id>/test/", views_webhooks.test, name="webhook_test"),
    path("webhooks/<uuid:webhook_id>/remove/", views_webhooks.remove, name="webhook_remove"),
]
