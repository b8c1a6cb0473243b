"""The append-only log, its hash tree and its checkpoints. Knows nothing of the rooms whose steps
it records, hence no foreign keys.

Entries are written by `audit.services.append` alone; nothing here but the head and the state of a
delivery is ever changed: the database refuses it. Entries of FREQUENT_ACTIONS may leave for an
archive; what of them the database wants to see first is in `audit.installed`.
"""

from django.db import models

from dpgov.audit.actions import FREQUENT_ACTIONS
from dpgov.audit.actor import WORKER
from dpgov.audit.amounts import AskedAmount

FREQUENT_ACTORS = (WORKER.label,)


class AuditEntry(models.Model):
    """One recorded step: a leaf of the tenant's hash tree, number `sequence` - 1.

    `amount_nano` is read off the detail by the database itself, for searching: what a question
    cost when it was asked. It says nothing of its own and is not hashed.
    """

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
    leaf_hash = models.BinaryField(max_length=32)
    amount_nano = models.GeneratedField(
        expression=AskedAmount("detail", "action"),
        output_field=models.BigIntegerField(null=True),
        db_persist=True,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "sequence"], name="audit_entry_sequence"),
        ]
        indexes = [
            models.Index(fields=["tenant_id", "-at"]),
            models.Index(fields=["tenant_id", "dataset", "-sequence"]),
            # Each index is paid for by every entry, so what every second entry says has none:
            # it is found within a page of any place in the log.
            models.Index(
                fields=["tenant_id", "action", "-sequence"],
                condition=~models.Q(action__in=FREQUENT_ACTIONS),
                name="audit_entry_rare_action",
            ),
            models.Index(
                fields=["tenant_id", "actor_label", "-sequence"],
                condition=~models.Q(actor_label__in=FREQUENT_ACTORS),
                name="audit_entry_person",
            ),
            # Read through from its newest end: the amounts are in the index itself.
            models.Index(
                fields=["tenant_id", "-sequence", "amount_nano"],
                condition=models.Q(amount_nano__isnull=False),
                name="audit_entry_amount",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.action}"


class AuditHead(models.Model):
    """The number of entries in one tenant's log; its row lock orders the writers."""

    tenant_id = models.UUIDField(primary_key=True)
    sequence = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.tenant_id} at {self.sequence}"


class AuditSubtree(models.Model):
    """The hash over 256**level entries, number `index` of its level: what makes proofs fast."""

    tenant_id = models.UUIDField()
    level = models.PositiveSmallIntegerField()
    index = models.PositiveBigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "level", "index"], name="audit_subtree_place"
            ),
        ]

    def __str__(self) -> str:
        return f"level {self.level}, {self.index}"


class AuditArchive(models.Model):
    """A file outside with the entries `first` to `last`, and what its bytes hash to.

    `month` is that of its first entry, YYYY-MM; `recorded` the number of the entry that says so.
    """

    tenant_id = models.UUIDField()
    month = models.CharField(max_length=7)
    first = models.PositiveBigIntegerField()
    last = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    recorded = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "first"], name="audit_archive_first"),
            models.CheckConstraint(
                condition=models.Q(last__gte=models.F("first"), recorded__gt=models.F("last")),
                name="audit_archive_order",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What the file is called."""
        return f"{self.month}-{self.first:012}-{self.last:012}.parquet"


class AuditLeaves(models.Model):
    """Leaf hashes of archived entries, up to 256 in a row: those after the first `start` entries.

    Never across a multiple of 256, so that a tile of the tree is made of few rows.
    """

    tenant_id = models.UUIDField()
    start = models.PositiveBigIntegerField()
    hashes = models.BinaryField(max_length=8192)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "start"], name="audit_leaves_start"),
        ]

    def __str__(self) -> str:
        return f"leaves after {self.start}"


class AuditCheckpoint(models.Model):
    """The head of the log at one moment, signed: `note` is what was delivered elsewhere."""

    tenant_id = models.UUIDField()
    size = models.PositiveBigIntegerField()
    root = models.BinaryField(max_length=32)
    note = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "size"], name="audit_checkpoint_size"),
        ]

    def __str__(self) -> str:
        return f"checkpoint at {self.size}"


class AuditKey(models.Model):
    """A public key that the tenant's checkpoints are signed with, from the given size on."""

    tenant_id = models.UUIDField()
    public_key = models.CharField(max_length=500)
    since_size = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "public_key"], name="audit_key_once"),
        ]

    def __str__(self) -> str:
        return self.public_key


class AuditDelivery(models.Model):
    """Whether one checkpoint has reached one place outside; `problem` is stored by `as_values`."""

    tenant_id = models.UUIDField()
    size = models.PositiveBigIntegerField()
    destination = models.CharField(max_length=16)
    delivered_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    problem = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "size", "destination"], name="audit_delivery_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant_id", "next_attempt_at"],
                condition=models.Q(delivered_at__isnull=True),
                name="audit_delivery_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"checkpoint at {self.size} to {self.destination}"
