"""The append-only log. Knows nothing of the rooms whose steps it records, hence no foreign keys.

Rows are written by `audit.services.append` alone and never changed: the database refuses it.
"""

from django.db import models


class AuditEntry(models.Model):
    """One recorded step, linked by hash to the entry before it in the same tenant."""

    tenant_id = models.UUIDField()
    sequence = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    actor_label = models.CharField(max_length=254)
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    dataset = models.CharField(max_length=200, blank=True)
    detail = models.TextField()
    previous_hash = models.CharField(max_length=64)
    entry_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "sequence"], name="audit_entry_sequence"),
        ]
        indexes = [
            models.Index(fields=["tenant_id", "-at"]),
            models.Index(fields=["tenant_id", "action", "-sequence"]),
            models.Index(fields=["tenant_id", "dataset", "-sequence"]),
            models.Index(fields=["tenant_id", "actor_label", "-sequence"]),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.action}"


class AuditHead(models.Model):
    """The newest sequence number and hash of one tenant's log; its row lock orders the writers."""

    tenant_id = models.UUIDField(primary_key=True)
    sequence = models.PositiveBigIntegerField()
    entry_hash = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.tenant_id} at {self.sequence}"
