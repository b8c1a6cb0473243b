"""Tables that stay in an owner's own server: where they are, and how they are read."""

import uuid

from django.db import models

from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant


class LiveTable(models.Model):
    """One table of an owner's PostgreSQL, and the one role that it is read with.

    Everything but `role`, `sealed` and `sealed_at` stays as it is. `sealed` is the role's password,
    which only opens beside the other fields (`services.live.sealing`); empty: it was deleted.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    host = models.CharField(max_length=253)
    port = models.PositiveIntegerField()
    database = models.CharField(max_length=63)
    schema = models.CharField(max_length=63)
    table = models.CharField(max_length=63)
    role = models.CharField(max_length=63)
    sealed = models.TextField(blank=True)
    sealed_at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What it is called where it is."""
        return f"{self.schema}.{self.table}"

    @property
    def address(self) -> str:
        """The server, as the list of allowed ones has it."""
        return f"{self.host}:{self.port}"


class LiveMark(models.Model):
    """What a registered table is recognised by: keyed hashes, shown to nobody.

    `is_itself`: of the table or its name; else of a table that it reads, such as a view does.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    live = models.ForeignKey(LiveTable, on_delete=models.PROTECT, related_name="marks")
    mark = models.CharField(max_length=32, db_index=True)
    is_itself = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["live", "mark"], name="datasets_live_mark_once"),
        ]

    def __str__(self) -> str:
        return f"mark of {self.live_id}"
