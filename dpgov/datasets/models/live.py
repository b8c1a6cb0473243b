"""Rows that stay where their owner has them: where that is, and how they are read."""

import uuid

from django.db import models

from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant


class LiveTable(models.Model):
    """Rows that stay with an owner: a table of a server, or files of a path that a server reads.

    `kind` says how they are asked (`services.live.kinds`). Everything but `role`, `sealed`,
    `sealed_at` and `claim` stays as it is. `sealed` is the password, which only opens beside the
    other fields (`services.live.sealing`); empty: it was deleted. `claim` is the mark of the one
    budget over these rows that was open before anybody looked; empty: it is none.
    `in_microseconds` is what an owner declared of all moments in files. `is_cluster`: the tasks of
    an answer are started in several processes first.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, default="postgresql")
    host = models.CharField(max_length=253)
    port = models.PositiveIntegerField()
    database = models.CharField(max_length=63, blank=True)
    schema = models.CharField(max_length=63, blank=True)
    table = models.CharField(max_length=63, blank=True)
    role = models.CharField(max_length=63, blank=True)
    path = models.CharField(max_length=500, blank=True)
    in_microseconds = models.BooleanField(default=False)
    is_cluster = models.BooleanField(default=False)
    sealed = models.TextField(blank=True)
    sealed_at = Stamp(auto_now_add=True)
    claim = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(path="") ^ models.Q(table=""),
                name="datasets_live_is_a_table_or_a_path",
            ),
            models.UniqueConstraint(
                fields=["claim"],
                condition=~models.Q(claim=""),
                name="datasets_live_claimed_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What it is called where it is."""
        return self.path.rpartition("/")[2] or f"{self.schema}.{self.table}"

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
