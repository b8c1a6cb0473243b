"""The Celery application. Messages are wake-ups; the truth is in the database."""

import os

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpgov.settings")
# Celery would have every check of Django run, which loads every page and takes half of a worker's
# start, and read none of the results. Commands run them, the sweeper and every migration first.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
TRANSPORT_ALIASES["filesystem"] = "dpgov.operation.messages:Transport"

app = Celery("dpgov", task_cls="dpgov.operation.messages:TracedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["dpgov.datasets", "dpgov.queries.answering"])


@setup_logging.connect  # type: ignore[untyped-decorator]
def _leave_logging_to_django(**_: object) -> None:
    """Celery configures logging itself unless somebody answers this question."""
