"""The processes of an installation: which workers are there, and whether a sweeper runs."""

import uuid

from django.db import models


class Worker(models.Model):
    """A running worker, as it said last. Belongs to the installation; names nothing of a tenant.

    But the worker of joint answers: its `id` is that of the organisation that it works for.

    `lacks` are ids of versions whose data file it does not see; a worker that lacks any is not
    ready, and leaves their questions to others.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200)
    seen_at = models.DateTimeField()
    ready = models.BooleanField()
    lacks = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.name


class Sweeper(models.Model):
    """The one row that says that a sweeper runs, as it said last; it names nothing of a tenant.

    `number` only grows, over every sweeper that there was. `at` and `started_at` are by the clock
    of the database.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    number = models.PositiveBigIntegerField()
    started_at = models.DateTimeField()
    at = models.DateTimeField()
    rounds = models.PositiveBigIntegerField()
    sent = models.PositiveBigIntegerField()
    given_up = models.PositiveBigIntegerField()
    broken_off = models.PositiveBigIntegerField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=models.Q(id=1), name="queries_one_sweeper"),
        )

    def __str__(self) -> str:
        return str(self.at)
