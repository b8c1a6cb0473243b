"""Reads about surveys: for the organisation's own people, and for whoever has a public address."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Case, Count, QuerySet, When

from dpgov.budgets.models import Budget
from dpgov.budgets.shared_budgets import shared_budgets_of
from dpgov.operation import clock
from dpgov.surveys.models import Survey, SurveyLetter
from dpgov.tenants.crossing import through_gate
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.permissions import Permission, may


def surveys_of(membership: Membership) -> QuerySet[Survey]:
    """Those that this person may see, newest first; drafts only for owners and officers."""
    rows = Survey.objects.filter(tenant=membership.tenant_id)
    if not may(membership, Permission.REQUEST_CHANGES):
        rows = rows.exclude(budget__isnull=True)
    rows = rows.select_related("tally", "budget", "shared_budget", "made_by")
    return rows.order_by("-made_at", "id")


def under_way(membership: Membership, most: int) -> list[Survey]:
    """Drafts and open ones that this person may see, those that end first at the front.

    Those whose last day is over come last: forgotten, they would push running ones off the list.
    """
    rows = surveys_of(membership).exclude(state=Survey.State.CLOSED)
    over = Case(When(closes_on__lt=clock.now().date(), then=1), default=0)
    return list(rows.order_by(over, "closes_on", "id")[:most])


def charged_surveys(membership: Membership, most: int) -> list[Survey]:
    """Those that were opened, newest first, with what each took and of which budget."""
    return list(surveys_of(membership).exclude(budget__isnull=True).order_by("-opened_at")[:most])


def opened_between(tenant: Tenant, since: datetime, until: datetime) -> list[Survey]:
    """Those of an organisation that were opened from one moment to before another, in order."""
    rows = Survey.objects.filter(tenant=tenant, opened_at__gte=since, opened_at__lt=until)
    return list(rows.select_related("budget").order_by("opened_at", "id"))


def open_on(budgets: Iterable[UUID]) -> dict[UUID, list[Survey]]:
    """The surveys that a report can still come to, charged to each of these budgets, by name."""
    found: dict[UUID, list[Survey]] = defaultdict(list)
    rows = Survey.objects.filter(budget__in=list(budgets), state=Survey.State.OPEN)
    rows = rows.filter(closes_on__gte=clock.now().date())
    for survey in rows.order_by("question", "id"):
        if survey.budget_id is not None:
            found[survey.budget_id].append(survey)
    return dict(found)


def get_survey(membership: Membership, survey_id: UUID) -> Survey:
    """One of them; Survey.DoesNotExist for a foreign and a missing one alike."""
    return surveys_of(membership).get(pk=survey_id)


def letters_of(survey: Survey) -> dict[str, int]:
    """How many of its e-mails wait, were sent and were given up; addresses are shown to nobody."""
    found = survey.letters.values_list("state").annotate(Count("id"))
    return dict.fromkeys(SurveyLetter.State.values, 0) | dict(found)


def tenant_of(code: str) -> UUID | None:
    """Whose survey has this public address; None of a draft and a missing one alike."""
    if connection.vendor == "postgresql":
        found: UUID | None = through_gate("SELECT surveys_tenant_of(%s)", code)[0][0]
        return found
    rows = Survey.objects.filter(code=code).exclude(state=Survey.State.DRAFT)
    return rows.values_list("tenant_id", flat=True).first()


def public_survey(code: str) -> Survey:
    """The survey of an address; to be called while acting for its tenant."""
    rows = Survey.objects.select_related("tenant", "budget").exclude(budget__isnull=True)
    return rows.get(code=code)


def budgets_to_charge(tenant: Tenant) -> list[Budget]:
    """The shared budgets that a survey may name: its own organisation's."""
    return list(shared_budgets_of(tenant).filter(tenant=tenant))
