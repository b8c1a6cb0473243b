"""Pages about notices and webhooks."""

from django.urls import path

from dpgov.notices.web import notices, webhooks

app_name = "notices"
urlpatterns = [
    path("notices/", notices.notices, name="list"),
    path("notices/read/", notices.read_all, name="read_all"),
    path("notices/choices/", notices.choices, name="choices"),
    path("notices/<uuid:notice_id>/read/", notices.read, name="read"),
    path("webhooks/", webhooks.webhook_list, name="webhooks"),
    path("webhooks/<uuid:webhook_id>/", webhooks.webhook, name="webhook"),
    path("webhooks/<uuid:webhook_id>/secret/", webhooks.renew, name="webhook_secret"),
    path("webhooks/<uuid:webhook_id>/test/", webhooks.test, name="webhook_test"),
    path("webhooks/<uuid:webhook_id>/remove/", webhooks.remove, name="webhook_remove"),
]
