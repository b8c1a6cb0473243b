"""Pages of surveys, and the public address of one."""

from django.urls import path

from dpgov.surveys.web import pages, respond

app_name = "surveys"
_ONE = "surveys/<uuid:survey_id>/"
urlpatterns = [
    path("surveys/", pages.index, name="list"),
    path("surveys/new/", pages.new, name="new"),
    path(_ONE, pages.detail, name="detail"),
    path(f"{_ONE}estimates/", pages.estimates, name="estimates"),
    path(f"{_ONE}open/", pages.open_it, name="open"),
    path(f"{_ONE}close/", pages.close, name="close"),
    path(f"{_ONE}tokens/", pages.tokens, name="tokens"),
    path(f"{_ONE}letters/", pages.letters, name="letters"),
    path("s/<slug:survey_code>/", respond.respond, name="respond"),
]
