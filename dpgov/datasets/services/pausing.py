"""Pausing all questions about one dataset, now, and resuming them.

A pause takes one owner and is no decision about budget: nothing is given back or charged by it. New
questions are refused at every door (`selectors.open_to_questions`), free answers too. What was
accepted waits and keeps its hold: its data is not opened and its answer is not published before the
pause ends. What a person learns by it is a fact about the dataset, never how far a worker had got.
"""

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import present
from dpgov.datasets.services.entries import record
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class PausedDataset(SpokenRefusal):
    """Archived as it is, the questions that wait for its data would wait for ever."""

    def __init__(self, derived: str = "") -> None:
        words = said("Questions about this dataset are paused. Resume them before you archive it.")
        if derived:
            words = said(
                "“{name}” was derived from this dataset and goes with it, but questions about it "
                "are paused. Resume them before you archive this one.",
                name=derived,
            )
        super().__init__(words)


@transaction.atomic
def pause_questions(*, dataset: Dataset, user: User, reason: str) -> None:
    """From now on nothing is asked of it, opened for a question or published; one entry.

    Raises Dataset.DoesNotExist when it is paused, archived or held already; nothing is changed.
    """
    open_one = Dataset.objects.filter(present(), pk=dataset.pk, paused_at__isnull=True)
    if not open_one.update(paused_at=clock.database_now(), pause_reason=reason):
        raise Dataset.DoesNotExist
    detail = {"name": dataset.name, "reason": reason}
    record(dataset, actor_of(user), Action.QUESTIONS_PAUSED, detail)


@transaction.atomic
def resume_questions(*, dataset: Dataset, user: User) -> None:
    """Those that wait are answered, new ones are taken; one entry in the log.

    Raises Dataset.DoesNotExist when it is not paused (any more); nothing is changed.
    """
    paused = Dataset.objects.filter(present(), pk=dataset.pk, paused_at__isnull=False)
    if not paused.update(paused_at=None, pause_reason="", resumed_at=clock.database_now()):
        raise Dataset.DoesNotExist
    record(dataset, actor_of(user), Action.QUESTIONS_RESUMED, {"name": dataset.name})
