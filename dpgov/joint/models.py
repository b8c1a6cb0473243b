"""A joint question, the organisations that answer it together, and what each of them sends.

What a party asks of its own dataset is an ordinary question there, with its hold, charge, release,
receipt and entries in the log; a row here says which, and its state is that question's. No worker
of ordinary questions takes it, because nobody's lease on it ends (`queries.answering.lease.free`).
Must never hold a number of one party but masked.
"""

import uuid

from django.db import models
from django.db.models import F, Q

from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.queries.models import Query
from dpgov.tenants.models import Tenant, User


class JointQuestion(models.Model):
    """What is asked of all together, proposed by one of them; it never changes.

    `plan` names no dataset; `declared` is what each party's declaration has to say of the privacy
    unit and the columns, each fact by name. `colluders` of `parties` may collude. `code_hash`
    is of the code by which others come in until `expires_at`. `opened_at`: everybody was there,
    and from then on it is charged, whatever comes of it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=120)
    plan = models.JSONField()
    declared = models.JSONField()
    parties = models.PositiveSmallIntegerField()
    colluders = models.PositiveSmallIntegerField()
    code_hash = models.CharField(max_length=64, unique=True)
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # Compared with when versions came, which the database dates.
    proposed_at = DatabaseStamp(auto_now_add=True)
    expires_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True)
    # Of a program that proposed it, so that a lost answer can be asked for again.
    idempotency_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - none has no twin

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "proposed_by", "idempotency_key"], name="joint_one_per_key"
            ),
            models.CheckConstraint(
                name="joint_enough_parties",
                condition=Q(parties__gte=3, colluders__gte=1, colluders__lte=F("parties") - 2),
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Party(models.Model):
    """One organisation in a joint question: its place, its own question, its worker's public key.

    `name` is what the other parties call it. `public_key` is empty until its worker has looked, and
    never changes then.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    question = models.ForeignKey(JointQuestion, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    query = models.OneToOneField(Query, on_delete=models.PROTECT, related_name="+")
    public_key = models.CharField(max_length=64, blank=True)
    joined_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "tenant"], name="joint_one_place_each"),
            models.UniqueConstraint(fields=["question", "place"], name="joint_one_at_a_place"),
            models.UniqueConstraint(
                fields=["question", "public_key"],
                condition=~Q(public_key=""),
                name="joint_a_key_each",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Share(models.Model):
    """What a party's worker sent: its integers with noise and mask, in hexadecimal; once."""

    party = models.OneToOneField(
        Party, on_delete=models.PROTECT, primary_key=True, related_name="share"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    masked = models.TextField()

    def __str__(self) -> str:
        return f"a share of {self.party_id}"
