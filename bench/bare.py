"""A bare Django application with one view, which makes one query: `bench/overhead.py` serves it."""

import os

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["BARE_DATABASE"],
            "CONN_MAX_AGE": None,
        }
    },
    MIDDLEWARE=[],
    ROOT_URLCONF=__name__,
)
django.setup(set_prefix=False)

from django.db import connection  # noqa: E402


def one_query(_request: HttpRequest) -> JsonResponse:
    """A row of the same database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug, name FROM datasets_dataset")
        return JsonResponse(dict(cursor.fetchall()))


urlpatterns = [path("", one_query)]
application = WSGIHandler()
