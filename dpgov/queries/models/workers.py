"""The workers of an installation: who is there, and whether they can answer."""

import uuid

from django.db import models


class Worker(models.Model):
    """A running worker, as it said last. Belongs to the installation; names nothing of a tenant.

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
