"""A survey, its one-time tokens, the sum of its reports, and e-mails that wait: nothing links them.

Must never keep a report by itself, nor when anything arrived: on some databases rows lie in the
order in which they were written, so that a table of reports beside a table of spent tokens would
tell who sent which (ADR 0025). A report is added to the sum and forgotten.
"""

import uuid

from django.db import models
from django.db.models import Q

from dpgov.budgets.models import Budget
from dpgov.operation import clock
from dpgov.operation.clock import Stamp
from dpgov.privacy.local.randomiser import LocalKind, Randomiser
from dpgov.tenants.models import Tenant, User


class Survey(models.Model):
    """One question with its answers; what is asked and how it is randomised never changes.

    `code` is in the public address. `kept` and `other` are thresholds of 2^32 draws. A survey is a
    draft, then open, then closed; `budget` is what was charged when it opened, `charged_nano` how
    much in the budget's currency. `shared_budget` is what the draft names, None for one of its own.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class Mechanism(models.TextChoices):
        RESPONSE = LocalKind.RESPONSE.value, "Randomised response"
        UNARY = LocalKind.UNARY.value, "Optimised unary encoding"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    code = models.CharField(max_length=32, unique=True)
    question = models.CharField(max_length=300)
    answers = models.JSONField()
    epsilon_nano = models.BigIntegerField()
    mechanism = models.CharField(max_length=32, choices=Mechanism.choices)
    kept = models.BigIntegerField()
    other = models.BigIntegerField()
    expected = models.PositiveIntegerField()
    closes_on = models.DateField()
    by_token = models.BooleanField()
    shared_budget = models.ForeignKey(Budget, on_delete=models.PROTECT, null=True, related_name="+")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, null=True, related_name="+")
    charged_nano = models.BigIntegerField(null=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = Stamp(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="surveys_open_is_charged",
                condition=Q(state="draft", budget__isnull=True, charged_nano__isnull=True)
                | Q(state="open", budget__isnull=False, charged_nano__gt=0)
                | Q(state="closed"),
            ),
            models.CheckConstraint(
                name="surveys_thresholds",
                condition=Q(other__gt=0, kept__gt=models.F("other"), epsilon_nano__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return self.question

    @property
    def last_day_over(self) -> bool:
        """Whether its last day has passed, in UTC, whatever its state."""
        return self.closes_on < clock.now().date()

    @property
    def is_held(self) -> bool:
        """Whether it waits, after a restore, for an officer's word about reports that are missing.

        Of one that was read with its budget. Once its last day is over it waits for nothing.
        """
        is_frozen = self.budget is not None and self.budget.frozen_at is not None
        return self.state == Survey.State.OPEN and is_frozen and not self.last_day_over

    @property
    def randomiser(self) -> Randomiser:
        """How each answer is randomised."""
        return Randomiser(LocalKind(self.mechanism), len(self.answers), self.kept, self.other)


class SurveyToken(models.Model):
    """One answer that may be given: the hash of a token, and whether it was; never when."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="tokens")
    token_hash = models.CharField(max_length=64)
    spent = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "token_hash"], name="surveys_one_token"),
        ]

    def __str__(self) -> str:
        return f"a token of {self.survey_id}"


class SurveyLetter(models.Model):
    """An e-mail that shall bring one person one token; what it needs is kept only until it left.

    `seed` is what the token is derived from, with the key of the installation; the database alone
    does not say it. Once the e-mail was sent or given up, address and seed are gone. `form` is the
    form that named the address, so that one that is sent twice counts once.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENT = "sent", "Sent"
        GIVEN_UP = "given_up", "Given up"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="letters")
    email = models.CharField(max_length=254)
    seed = models.CharField(max_length=32)
    form = models.CharField(max_length=32, default="")
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="surveys_letter_forgets",
                condition=Q(state="waiting", next_attempt_at__isnull=False)
                | Q(
                    state__in=("sent", "given_up"),
                    email="",
                    seed="",
                    attempts=0,
                    next_attempt_at__isnull=True,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"an e-mail of {self.survey_id}"


class Tally(models.Model):
    """How many reports came, and how many of them named each answer; all that is kept of them."""

    survey = models.OneToOneField(
        Survey, on_delete=models.PROTECT, primary_key=True, related_name="tally"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    reports = models.PositiveIntegerField(default=0)
    counts = models.JSONField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="surveys_tally", condition=Q(reports__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.reports} reports"
