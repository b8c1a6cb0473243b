"""The Celery application. Messages are wake-ups; the truth is in the database."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpgov.settings")
TRANSPORT_ALIASES["filesystem"] = "dpgov.file_broker:Transport"

app = Celery("dpgov")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
