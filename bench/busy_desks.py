"""What lies on the desks of a busy tenant: colleagues, allocations, requests, refusals, notices."""

from datetime import timedelta

from django.utils import timezone

from bench.cast import Cast
from bench.plans import plan_of
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.services import allocate
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.notices.kinds import Kind as About
from dpgov.notices.models import Delivery, Event, Notice, State, Webhook
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Refusal, SavedQuestion
from dpgov.tenants.models import Invitation, Membership, Project, ProjectMember, Role, User
from tests.triggers import without_triggers

_PEOPLE, _PROJECTS, _GRANTS, _INVITED = 40, 30, 10, 30
_REFUSALS, _DECIDED, _WAITING, _WISHES, _SAVED, _EVENTS = 3_000, 500, 40, 500, 200, 1_000


def fill_desks(cast: Cast) -> None:
    """Everything here is a list that somebody opens."""
    _people(cast)
    _grants(cast)
    _refusals(cast)
    _requests(cast)
    _wishes(cast)
    _notices(cast)


def _people(cast: Cast) -> None:
    tenant, now = cast.tenant, timezone.now()
    people = [
        User(email=f"member-{n}@{tenant.slug}.example.org", name=f"Member {n}")
        for n in range(_PEOPLE)
    ]
    User.objects.bulk_create(people)
    roles = list(Role)
    Membership.objects.bulk_create(
        Membership(tenant=tenant, user=user, role=roles[n % len(roles)])
        for n, user in enumerate(people)
    )
    projects = [Project(tenant=tenant, name=f"Project {n}") for n in range(_PROJECTS)]
    Project.objects.bulk_create(projects)
    analysts = [cast.analyst, *cast.colleagues]
    ProjectMember.objects.bulk_create(
        ProjectMember(tenant=tenant, project=project, user=member.user)
        for n, project in enumerate(projects)
        for member in analysts[n % 3 :: 3]
    )
    Invitation.objects.bulk_create(
        Invitation(
            tenant=tenant,
            email=f"invited-{n}@example.org",
            role=Role.ANALYST,
            token_hash=f"{tenant.slug} {n}",
            invited_by=cast.people["admin"].user,
            expires_at=now + timedelta(days=7),
        )
        for n in range(_INVITED)
    )


def _grants(cast: Cast) -> None:
    for member in (cast.analyst, *cast.colleagues):
        for dataset in cast.datasets[: _GRANTS * 2 : 2]:
            allocate(
                dataset_budget=dataset.budget,
                holder=member.user,
                limit_nano=50 * NANO,
                actor=OPERATOR,
                reason="the study",
            )


def _refusals(cast: Cast) -> None:
    today, people = timezone.now().date(), (cast.analyst, *cast.colleagues)
    reasons = list(Refusal.Reason)
    Refusal.objects.bulk_create(
        (
            Refusal(
                tenant=cast.tenant,
                dataset=cast.datasets[n % len(cast.datasets)],
                analyst=people[n % len(people)].user,
                day=today - timedelta(days=n % 365),
                reason=reasons[n % len(reasons)],
                number=1 + n % 4,
                largest_nano=NANO,
            )
            for n in range(_REFUSALS)
        ),
        ignore_conflicts=True,
    )


def _requests(cast: Cast) -> None:
    now, owner, officer = timezone.now(), cast.people["owner"], cast.people["officer"]
    made = []
    for n in range(_DECIDED + _WAITING):
        dataset, waits = cast.datasets[n % len(cast.datasets)], n >= _DECIDED
        made.append(
            ChangeRequest(
                tenant=cast.tenant,
                kind=RAISE_LIMIT,
                subject=f"budget:{dataset.budget_id}",
                dataset=dataset.slug,
                payload={
                    "budget": str(dataset.budget_id),
                    "before_epsilon": "1000",
                    "after_epsilon": "1100",
                    "before_nano": 1_000 * NANO,
                    "after_nano": 1_100 * NANO,
                },
                reason="the study goes on",
                requested_by=owner.user,
                requested_role=Role.OWNER,
                state="waiting" if waits else "approved",
                decided_by=None if waits else officer.user,
                decided_at=None if waits else now - timedelta(hours=_DECIDED - n),
            )
        )
    with without_triggers("approvals_changerequest"):
        # Elsewhere a request waits at first, and two persons decide it one by one.
        ChangeRequest.objects.bulk_create(made)


def _wishes(cast: Cast) -> None:
    now, people = timezone.now(), (cast.analyst, *cast.colleagues)
    BudgetRequest.objects.bulk_create(
        BudgetRequest(
            tenant=cast.tenant,
            dataset=cast.datasets[n % len(cast.datasets)],
            asked_by=people[n % len(people)].user,
            about="allocation",
            epsilon_nano=NANO,
            reason="the study grows",
            state="declined" if n % 5 else "withdrawn",
            answered_by=cast.people["owner"].user,
            answered_at=now,
        )
        for n in range(_WISHES)
    )
    SavedQuestion.objects.bulk_create(
        SavedQuestion(
            tenant=cast.tenant,
            analyst=cast.analyst.user,
            dataset=(dataset := cast.datasets[n % len(cast.datasets)]),
            name=f"Question {n}",
            plan=plan_of(dataset.slug, n % 3),
        )
        for n in range(_SAVED)
    )


def _notices(cast: Cast) -> None:
    now, tenant = timezone.now(), cast.tenant
    events = [
        Event(
            tenant=tenant,
            key=f"busy {n}",
            kind=About.HOLD,
            detail={"what": "frozen"},
            due_at=now - timedelta(hours=n + 1),
        )
        for n in range(_EVENTS)
    ]
    Event.objects.bulk_create(events)
    Notice.objects.bulk_create(
        Notice(
            tenant=tenant,
            event=event,
            person=member.user,
            in_app=True,
            due_at=event.due_at,
            read_at=now if n % 3 else None,
        )
        for n, event in enumerate(events)
        for member in cast.people.values()
    )
    webhook = Webhook.objects.create(
        tenant=tenant, url="https://hooks.example.org/busy", kinds=["hold"], generation="first"
    )
    Delivery.objects.bulk_create(
        Delivery(
            tenant=tenant,
            webhook=webhook,
            event=event,
            due_at=event.due_at,
            state=State.SENT,
            next_attempt_at=now,
        )
        for event in events
    )
