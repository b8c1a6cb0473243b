"""Questions and answers: Query is the row (and the outbox), Release the published noisy answer;
tallies are sums of questions that have ended, refusals of those that were never accepted.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.operation.clock import Stamp
from dpgov.privacy.accounting.loss import Currency
from dpgov.queries.kinds import LONGEST_KIND
from dpgov.queries.models.ready_made import ReadyMade
from dpgov.queries.models.workbench import BudgetRequest
from dpgov.tenants.models import Tenant, User

_SUMMED = ("dataset", "analyst", "state", "kind", "cost_nano", "reuse", "by_owner")


class Query(models.Model):
    """A submitted plan and the state of its answer. The row itself is the outbox.

    A `reuse` was answered at once and for nothing out of the answers to `sources`, which are ids.
    `kind` is a code of `queries.kinds`.
    `canonical_sha256` is the plan's form; empty where several organisations ask together, whose
    answer is never reused.
    `counted` says that the tallies hold it. `ready_made` is the ready-made question that it came
    from, whose quota it counts against; `approval` is what let it be asked once, if it needed that.
    `by_owner`: whoever asked was a data owner here as well.
    A worker holds it by lease and fencing token; `opened_at` is committed before the data is
    touched, so that a crash can tell a free failure from a charged one. `never_read_at` says that
    the only worker that came to open the data found that it could not be opened.

    What a worker found is SEALED until `due_at`: the `outcome` and the answer's text lie in the
    row, the budget stays held, nothing is numbered, and to everybody the question waits. `class_ms`
    is its public duration class, `doublings` how often that was doubled and paid for, and
    `doublings_owed` how often it must still be. A row that has ended has been published, whatever
    any clock says; `visible_at` is the moment that its entry is dated at. One that has FAILED
    without an `outcome` was charged unanswered after a restore.

    `heavy` is its lane, from the plan and public numbers; `turn` numbers the turns at which workers
    took questions. `sends` and `send_after` are the sweep's memory of how often it woke a worker
    for it, and when it may again. `request_id` names the request that asked, for the log.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        SEALED = "sealed", gettext_lazy("Waiting")
        RELEASED = "released", gettext_lazy("Answered")
        FAILED = "failed", gettext_lazy("Failed, charged")
        VOIDED = "voided", gettext_lazy("Not run, not charged")
        EXPIRED = "expired", gettext_lazy("Expired, not charged")

    class Outcome(models.TextChoices):
        RELEASED = "released", "An answer"
        FAILED = "failed", "A failure"
        UNREAD = "unread", "A failure before anything was read"

    HOLDING = (State.QUEUED, State.RUNNING, State.SEALED)
    ENDED = (State.RELEASED, State.FAILED, State.VOIDED, State.EXPIRED)
    CHARGED = (State.RELEASED, State.FAILED)
    # What is spent or held for.
    COMMITTED = (*HOLDING, *CHARGED)
    # How the key of a joint question begins: with a space, which no key that a client chooses has.
    JOINT_KEY = "joint "

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Each of the four begins an index below; one more of its own would be written for nothing.
    tenant = models.ForeignKey(
        Tenant, on_delete=models.PROTECT, related_name="queries", db_index=False
    )
    dataset = models.ForeignKey(
        Dataset, on_delete=models.PROTECT, related_name="queries", db_index=False
    )
    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    analyst = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="queries", db_index=False
    )
    plan = models.JSONField()
    kind = models.CharField(max_length=LONGEST_KIND, blank=True)
    cost_nano = models.BigIntegerField()
    canonical_sha256 = models.CharField(max_length=64, blank=True)
    reuse = models.BooleanField(default=False)
    by_owner = models.BooleanField(default=False)
    sources = models.JSONField(default=list)
    ready_made = models.ForeignKey(
        ReadyMade, on_delete=models.PROTECT, null=True, related_name="queries"
    )
    approval = models.OneToOneField(
        BudgetRequest, on_delete=models.PROTECT, null=True, related_name="question"
    )
    idempotency_key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    fence = models.PositiveBigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    never_read_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField()
    class_ms = models.PositiveIntegerField(default=0, db_default=0)
    outcome = models.CharField(
        max_length=8, choices=Outcome.choices, blank=True, default="", db_default=""
    )
    sealed_text = models.TextField(blank=True, default="", db_default="")
    due_at = models.DateTimeField(null=True)
    doublings_owed = models.PositiveSmallIntegerField(default=0, db_default=0)
    doublings = models.PositiveSmallIntegerField(default=0, db_default=0)
    ended_at = models.DateTimeField(null=True)
    visible_at = models.DateTimeField(null=True)
    counted = models.BooleanField(default=False)
    heavy = models.BooleanField(default=False)
    turn = models.PositiveBigIntegerField(default=0)
    sends = models.PositiveSmallIntegerField(default=0)
    send_after = models.DateTimeField(null=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "analyst", "idempotency_key"], name="queries_one_per_key"
            ),
            models.CheckConstraint(
                name="queries_cost_is_positive",
                condition=Q(cost_nano__gt=0, reuse=False)
                | Q(cost_nano=0, reuse=True, state="released", opened_at__isnull=True),
            ),
            models.CheckConstraint(
                name="queries_never_read_has_failed",
                condition=Q(never_read_at__isnull=True)
                | Q(state="failed", opened_at__isnull=False),
            ),
            models.CheckConstraint(
                name="queries_sealed_is_due",
                condition=~Q(state="sealed") | (Q(due_at__isnull=False) & ~Q(outcome="")),
            ),
            models.CheckConstraint(
                name="queries_text_is_sealed",
                condition=Q(sealed_text="") | Q(state="sealed", outcome="released"),
            ),
        ]
        indexes = [
            # With all that is summed by day, so that a sum does not read the wide rows.
            models.Index(
                fields=["tenant", "-submitted_at"],
                include=_SUMMED,
                name="queries_by_day",
            ),
            models.Index(fields=["dataset", "-submitted_at"]),
            models.Index(fields=["analyst", "-submitted_at"]),
            models.Index(fields=["dataset", "analyst", "-submitted_at"]),
            models.Index(fields=["tenant", "state", "-submitted_at"]),
            models.Index(fields=["tenant", "-visible_at"]),
            models.Index(fields=["version", "canonical_sha256"], name="queries_same_form"),
            models.Index(
                fields=["version", "-visible_at"],
                condition=Q(state="released", reuse=False),
                name="queries_stored_answers",
            ),
            models.Index(
                fields=["dataset"], condition=Q(counted=False), name="queries_not_counted"
            ),
            models.Index(
                fields=["submitted_at"],
                condition=Q(state__in=["queued", "running"]),
                name="queries_unfinished",
            ),
            models.Index(fields=["due_at"], condition=Q(state="sealed"), name="queries_sealed"),
            models.Index(
                fields=["tenant", "submitted_at"],
                condition=Q(state__in=["queued", "running"]),
                name="queries_waiting_of_tenant",
            ),
            models.Index(fields=["turn"], condition=Q(turn__gt=0), name="queries_turns"),
            models.Index(
                fields=["tenant", "turn"], condition=Q(turn__gt=0), name="queries_turns_of_tenant"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def currency(self) -> Currency:
        """What its price is counted in: that of its dataset's budget."""
        return self.dataset.budget.currency

    @property
    def is_joint(self) -> bool:
        """Whether it is one organisation's part of a joint question: its answer is of others, too.

        Such a row has no form, and a key as no client can choose one.
        """
        return not self.canonical_sha256 and self.idempotency_key.startswith(self.JOINT_KEY)


class Release(models.Model):
    """The published answer of one query: one, ever; the stored bytes are returned each time."""

    query = models.OneToOneField(Query, on_delete=models.PROTECT, primary_key=True)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    body = models.TextField()
    sha256 = models.CharField(max_length=64)
    created_at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return f"answer of {self.query_id}"


class Tally(models.Model):
    """The cost of a dataset's ended and counted questions by person and kind, in nano-ε."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    analyst = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=LONGEST_KIND, blank=True)
    nano = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "analyst", "kind"], name="queries_one_tally"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.nano} nε of {self.kind}"


class DayTally(models.Model):
    """The cost of the same questions by the day (UTC) on which they were submitted, in nano-ε."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    day = models.DateField()
    nano = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "day"], name="queries_one_day_tally"),
        ]

    def __str__(self) -> str:
        return f"{self.nano} nε on {self.day}"


class Refusal(models.Model):
    """How often one person's questions were refused on one day (UTC), for one reason.

    Counted and not logged: a refusal changes nothing, and whoever is refused could otherwise fill
    the log as fast as they can ask. So the rows are few, whatever anybody sends.
    """

    class Reason(models.TextChoices):
        BUDGET = "budget", gettext_lazy("Did not fit what remained")
        QUESTION = "question", gettext_lazy("Cost more than one question may")
        POLICY = "policy", gettext_lazy("Outside the dataset's policy")
        ALLOCATION = "allocation", gettext_lazy("No allocation")
        STOPPED = "stopped", gettext_lazy("The budget was frozen or closed")

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    analyst = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    day = models.DateField()
    reason = models.CharField(max_length=16, choices=Reason.choices)
    number = models.PositiveBigIntegerField(default=0)
    largest_nano = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "analyst", "day", "reason"], name="queries_one_refusal_count"
            ),
        ]
        indexes = [models.Index(fields=["tenant", "day"], name="queries_refusals_of_day")]

    def __str__(self) -> str:
        return f"{self.number} refused on {self.day}: {self.reason}"
