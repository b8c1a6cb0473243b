"""L39: an owner who is an analyst too asks like everybody, and decides nothing for themselves."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.approvals.errors import OwnRequest
from dpgov.approvals.kinds import carry_out
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services import OwnAllocation, allocate, withdraw
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset, Permit, Policy
from dpgov.datasets.services import OwnPermit, permit
from dpgov.datasets.services.pausing import pause_questions
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.month import figures_of
from dpgov.oversight.month.report import report_of
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.queries.answering.cancelling import cancel, may_cancel
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.asking.quote import quote
from dpgov.queries.asking.ready_made import PublishedByYou
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.selectors import budget_requests_waiting
from dpgov.queries.workbench import budget_requests as requests
from dpgov.tenants import projects
from dpgov.tenants.models import Membership, Project, ProjectMember, Role
from dpgov.tenants.selectors import actor_of
from tests.agreed import join_in_two_roles
from tests.cast import Ask, join
from tests.integration.queries.ready_made import published as ready_made
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
COUNT = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}


@made_once
def both(owner: Membership) -> Membership:
    """Who registered "visits" below, and asks about it."""
    return join_in_two_roles(owner.tenant, Role.OWNER, "beate")


@made_once
def dataset(both: Membership) -> Dataset:
    """Their own."""
    return register_small_dataset(both, name="Visits")


def asked_by(member: Membership, dataset: Dataset, about: str = "allocation") -> BudgetRequest:
    nano = (20 if about == "limit" else 3) * NANO
    return requests.ask_for_budget(
        membership=member, dataset=dataset, about=about, epsilon_nano=nano, reason="a study"
    )


def test_it_costs_what_it_costs_everybody_and_is_charged_the_same(
    both: Membership, analyst: Membership, dataset: Dataset, ask: Ask, answer_all: Any
) -> None:
    """F2: the same price, hold and charge, and the same limit binds."""
    plan = {**COUNT, "dataset": dataset.slug}
    mine, theirs = (quote(user=one.user, dataset=dataset, raw_plan=plan) for one in (both, analyst))
    assert (mine, mine.reusable) == (theirs, theirs.reusable)
    costs = {ask(one, of=dataset).cost_nano for one in (both, analyst)}
    answer_all()
    budget = Budget.objects.get(pk=dataset.budget_id)
    assert (costs, budget.spent_nano) == ({NANO // 2}, NANO)


def test_the_log_and_the_officers_month_say_who_governs_and_asks(
    both: Membership,
    analyst: Membership,
    officer: Membership,
    dataset: Dataset,
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """L39: of what the owner asked, and of nobody else's questions."""
    questions = [ask(one, of=dataset) for one in (both, analyst, both)]
    assert [one.by_owner for one in questions] == [True, False, True]
    entries = AuditEntry.objects.filter(action="QUERY_SUBMITTED").order_by("sequence")
    assert ["by_owner" in json.loads(entry.detail) for entry in entries] == [True, False, True]
    figures = figures_of(officer.tenant, Month.read(""))
    assert figures.by_owners == (("Beate", 2),)
    page = " ".join(client_for(officer).get(reverse("oversight:month")).text.split())
    assert "Asked by a data owner" in page
    assert "Beate: 2 questions" in page
    assert report_of("Harbour", figures).startswith(b"%PDF")


def test_a_month_in_which_no_owner_asked_says_nothing(
    analyst: Membership, officer: Membership, dataset: Dataset, ask: Ask, client_for: ClientFor
) -> None:
    ask(analyst, of=dataset)
    assert "Asked by a data owner" not in client_for(officer).get(reverse("oversight:month")).text


def test_the_policy_is_theirs_too(both: Membership, dataset: Dataset, ask: Ask) -> None:
    """L39: whoever wrote it, a question above it needs a permit of somebody else."""
    Policy.objects.create(dataset=dataset, tenant=dataset.tenant, approval_above_nano=NANO // 10)
    with pytest.raises(OutsidePolicy, match="need the owner's permit"):
        ask(both, of=dataset)
    assert not Query.objects.exists()


def test_nobody_permits_themselves(
    both: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39: at the service and on the page, where what was typed stays; another owner may."""
    last = timezone.now().date() + timedelta(days=7)
    known: dict[str, Any] = {"limit_nano": NANO, "last_day": last, "reason": "mine"}
    with pytest.raises(OwnPermit):
        permit(dataset=dataset, user=both.user, owner=both.user, **known)
    typed = {"person": both.pk, "limit": "1", "last_day": last.isoformat(), "reason": "my study"}
    door = reverse("datasets:permit", args=[dataset.slug])
    page = client_for(both).post(door, typed)
    assert (page.status_code, Permit.objects.count()) == (422, 0)
    assert "Another data owner has to give it" in page.text
    assert "my study" in page.text
    assert client_for(owner).post(door, typed).status_code == 302
    assert Permit.objects.get().user_id == both.user_id


def test_nobody_grants_themselves_an_allocation_or_ends_their_own(
    both: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39: neither to their name nor to a project of theirs; nor do they lift what caps them."""
    project = Project.objects.create(tenant=dataset.tenant, name="Study")
    ProjectMember.objects.create(tenant=dataset.tenant, project=project, user=both.user)
    mine, theirs = actor_of(both.user), actor_of(owner.user)
    for holder in (both.user, project):
        known: dict[str, Any] = {"dataset_budget": dataset.budget, "holder": holder}
        with pytest.raises(OwnAllocation):
            allocate(**known, limit_nano=NANO, actor=mine, reason="mine")
        given = allocate(**known, limit_nano=NANO, actor=theirs, reason="a study")
        with pytest.raises(OwnAllocation):
            allocate(**known, limit_nano=2 * NANO, actor=mine, reason="more")
        with pytest.raises(OwnAllocation):
            withdraw(allocation=given, actor=mine, reason="off")
    door = reverse("limits:allocation_new", args=[dataset.slug])
    typed = {"holder": str(both.user_id), "epsilon_limit": "5", "reason": "mine"}
    page = client_for(both).post(door, typed)
    assert (page.status_code, "Another data owner has to decide it" in page.text) == (422, True)
    limits = Budget.objects.filter(pk__in=Allocation.objects.values("budget_id"))
    assert set(limits.values_list("limit_nano", flat=True)) == {NANO}


def test_nobody_moves_themselves_into_or_out_of_a_project(
    both: Membership, owner: Membership, dataset: Dataset
) -> None:
    """L39: who works on it uses its allocations; who asks nothing today may ask tomorrow."""
    project = Project.objects.create(tenant=dataset.tenant, name="Study")
    mine, theirs = actor_of(both.user), actor_of(owner.user)
    with pytest.raises(projects.OwnPlace):
        projects.add_project_member(project=project, membership=both, actor=mine)
    projects.add_project_member(project=project, membership=both, actor=theirs)
    with pytest.raises(projects.OwnPlace):
        projects.remove_project_member(project=project, user_id=both.user_id, actor=mine)
    with pytest.raises(projects.OwnPlace):
        projects.end_project(project=project, actor=mine)
    with pytest.raises(projects.OwnPlace):
        projects.add_project_member(project=project, membership=owner, actor=theirs)
    projects.end_project(project=project, actor=theirs)


@pytest.mark.parametrize("about", ["allocation", "permit", "limit"])
def test_nobody_answers_what_they_asked_for(
    about: str, both: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39: they may withdraw it; the page has no form to answer it, and it waits for others."""
    sent = asked_by(both, dataset, about)
    assert not budget_requests_waiting(both).exists()
    assert budget_requests_waiting(owner).get() == sent
    browser = client_for(both)
    page = browser.get(reverse("queries:budget_request", args=[sent.pk])).text
    assert ("Withdraw the request" in page, "Your answer" in page) == (True, False)
    typed = {
        "decision": "pass_on" if about == "limit" else "grant",
        "epsilon_limit": as_text(sent.epsilon_nano),
        "last_day": (timezone.now().date() + timedelta(days=7)).isoformat(),
        "answer": "yes",
    }
    refused = browser.post(reverse("queries:budget_answer", args=[sent.pk]), typed)
    assert (refused.status_code, "Another data owner has to answer" in refused.text) == (422, True)
    with pytest.raises(requests.YourOwn):
        requests.decline_request(membership=both, request_id=sent.pk, answer="no")
    sent.refresh_from_db()
    assert (sent.state, Allocation.objects.count(), Permit.objects.count()) == ("waiting", 0, 0)
    assert requests.withdraw_request(membership=both, request_id=sent.pk).state == "withdrawn"


@pytest.mark.parametrize("state", ["granted", "passed_on"])
def test_the_database_knows_that_another_person_answers(
    state: str, both: Membership, dataset: Dataset
) -> None:
    """L39: whoever writes the row."""
    sent = asked_by(both, dataset)
    answer = {"answered_by": both.user, "answered_at": timezone.now()}
    granted = {"granted_nano": NANO} if state == "granted" else {}
    with pytest.raises(IntegrityError, match="answered_by_another"), transaction.atomic():
        BudgetRequest.objects.filter(pk=sent.pk).update(state=state, **answer, **granted)


def test_nobody_asks_what_they_published(
    both: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39: to publish is to approve; asked like every other question it is, by the policy."""
    mine = ready_made.published(both, dataset)
    theirs = ready_made.published(owner, dataset, name="Of another owner")
    with pytest.raises(PublishedByYou):
        ready_made.ask(both, mine)
    asked = ready_made.ask(both, theirs)
    assert Query.objects.get() == asked
    page = client_for(both).get(reverse("queries:ready_made", args=[dataset.slug])).text
    assert "another person has to ask it" in page
    asked.pk, asked.idempotency_key, asked.ready_made = uuid4(), "by hand", mine
    with pytest.raises(DatabaseError, match="by others"), transaction.atomic():
        asked.save(force_insert=True)


def test_nobody_times_their_own_question_with_a_pause(
    both: Membership, analyst: Membership, owner: Membership, dataset: Dataset, ask: Ask
) -> None:
    """E8: to pause, and to hear whether a worker had come as far, would be a stopwatch."""
    mine, theirs = ask(both, of=dataset), ask(analyst, of=dataset)
    pause_questions(dataset=dataset, user=both.user, reason="a doubt")
    for query in (mine, theirs):
        query.dataset.refresh_from_db()
    assert (may_cancel(both, mine), may_cancel(both, theirs)) == (False, True)
    with pytest.raises(Query.DoesNotExist):
        cancel(membership=both, query_id=mine.pk)
    cancel(membership=both, query_id=theirs.pk)
    cancel(membership=owner, query_id=mine.pk)


def test_nobody_is_both_persons_of_a_decision(
    both: Membership, officer: Membership, dataset: Dataset
) -> None:
    """L39: what they request as an owner is not theirs to approve, in whichever role."""
    budget = Budget.objects.get(pk=dataset.budget_id)
    request = request_raise(membership=both, budget=budget, limit_nano=20 * NANO, reason="more")
    assert request.requested_role == Role.OWNER
    with pytest.raises(OwnRequest):
        approve(request_id=request.pk, decider=both, reason="me", carry_out=carry_out)
    approve(request_id=request.pk, decider=officer, reason="yes", carry_out=carry_out)


def test_an_administrator_who_asks_sees_their_own_questions_alone(
    admin: Membership, analyst: Membership, dataset: Dataset, ask: Ask, client_for: ClientFor
) -> None:
    """H1: an administrator sees nobody's answers, and is an analyst like every other."""
    both = join_in_two_roles(admin.tenant, Role.ADMIN, "bo")
    mine, theirs = ask(both, of=dataset), ask(analyst, of=dataset)
    assert not mine.by_owner
    browser = client_for(both)
    codes = [
        browser.get(reverse("queries:detail", args=[one.pk])).status_code for one in (mine, theirs)
    ]
    assert codes == [200, 404]


def test_the_api_lets_them_do_both_and_refuses_the_same(
    both: Membership, owner: Membership, dataset: Dataset, api_for: Callable[..., Any]
) -> None:
    """H1: one token, both roles; a question is accepted, what they published is not."""
    client = api_for(both)
    plan = {**COUNT, "dataset": dataset.slug}
    sent = client.post(
        f"/api/v1/datasets/{dataset.slug}/queries/",
        plan,
        format="json",
        headers={"Idempotency-Key": "a"},
    )
    assert sent.status_code == 202, sent.content
    mine = ready_made.published(both, dataset)
    refused = client.post(
        f"/api/v1/datasets/{dataset.slug}/ready-made/{mine.pk}/",
        {"values": ready_made.VALUES},
        format="json",
        headers={"Idempotency-Key": "b"},
    )
    assert refused.status_code == 409, refused.content
    assert refused.json()["errors"][0]["code"] == "published_by_you"
    assert join(owner.tenant, Role.ANALYST, "carl").has(Role.ANALYST)
