"""What an analyst keeps or asks for beside questions: saved questions, requests for budget."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.tenants.models import Tenant, User


class SavedQuestion(models.Model):
    """A plan under a name of its owner's own choosing, seen by nobody else.

    `removed_at` hides it; it can be put back.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    analyst = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    plan = models.JSONField()
    saved_at = Stamp(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "analyst", "dataset", "name"],
                condition=Q(removed_at__isnull=True),
                name="queries_one_saved_by_a_name",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["tenant", "analyst", "-saved_at"])]

    def __str__(self) -> str:
        return self.name


class BudgetRequest(models.Model):
    """An analyst's request for budget of a dataset: WAITING, then answered by an owner once.

    `epsilon_nano` is what is wanted in all: as an allocation, or as the dataset's limit; of a
    permit it is the pure ε of one question. GRANTED: `granted_nano` was allocated or permitted.
    PASSED_ON: an owner has requested the higher limit, which takes a second person. STALE: whoever
    asked was no longer who they were when an owner wanted to give it.

    About a QUESTION it asks for the approval of just this `plan` of this `version`, at the price
    `cost_nano` in the dataset's currency; GRANTED is that approval, which one question uses up.
    `canonical_sha256` is of the plan's form and its version, so that it waits once; empty for
    everything else.
    """

    class About(models.TextChoices):
        ALLOCATION = "allocation", gettext_lazy("An allocation of my own, or a larger one")
        LIMIT = "limit", gettext_lazy("A higher limit of the dataset")
        PERMIT = "permit", gettext_lazy("A permit for larger questions")
        QUESTION = "question", gettext_lazy("The approval of one question")

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        GRANTED = "granted", gettext_lazy("Granted")
        PASSED_ON = "passed_on", gettext_lazy("Passed on to a compliance officer")
        DECLINED = "declined", gettext_lazy("Declined")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
        STALE = "stale", gettext_lazy("Out of date")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    about = models.CharField(max_length=12, choices=About.choices)
    epsilon_nano = models.BigIntegerField()
    reason = models.CharField(max_length=500)
    asked_at = DatabaseStamp(auto_now_add=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=500, blank=True)
    granted_nano = models.BigIntegerField(null=True)
    plan = models.JSONField(null=True)
    cost_nano = models.BigIntegerField(null=True)
    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, null=True, related_name="+"
    )
    canonical_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "dataset", "asked_by", "about", "canonical_sha256"],
                condition=Q(state="waiting"),
                name="queries_one_waiting_budget_request",
            ),
            models.CheckConstraint(
                name="queries_approval_is_of_a_priced_plan",
                condition=Q(
                    about="question", plan__isnull=False, version__isnull=False, cost_nano__gt=0
                )
                | (
                    Q(plan__isnull=True, version__isnull=True, cost_nano__isnull=True)
                    & ~Q(about="question")
                ),
            ),
            models.CheckConstraint(
                name="queries_budget_request_is_answered_once",
                condition=Q(state="waiting", answered_at__isnull=True, answered_by__isnull=True)
                | (Q(answered_at__isnull=False, answered_by__isnull=False) & ~Q(state="waiting")),
            ),
            models.CheckConstraint(
                name="queries_budget_request_answered_by_another",
                condition=~Q(state__in=["granted", "passed_on"]) | ~Q(answered_by=F("asked_by")),
            ),
            models.CheckConstraint(
                name="queries_budget_request_granted_with_its_amount",
                condition=Q(state="granted", granted_nano__gt=0)
                | (Q(granted_nano__isnull=True) & ~Q(state="granted")),
            ),
            models.CheckConstraint(
                name="queries_budget_request_is_positive", condition=Q(epsilon_nano__gt=0)
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["tenant", "state", "-asked_at"])]

    def __str__(self) -> str:
        return f"{self.about} of {self.dataset_id}: {self.state}"

    @property
    def is_of_one_question(self) -> bool:
        """Whether its amounts are the pure ε of one question, and not of all together."""
        return self.about == self.About.PERMIT

    @property
    def is_approval(self) -> bool:
        """Whether it asks an owner to approve one single question."""
        return self.about == self.About.QUESTION

    @property
    def is_waiting(self) -> bool:
        """Whether nobody has answered yet."""
        return self.state == self.State.WAITING
