"""L8, A7, S3, S7: as the application's role of the database: refused, or found afterwards.

The statements are in stolen.py. The session signs in with the application's password and chooses
the tenant, as whoever has stolen it would.
"""

from decimal import Decimal
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, BudgetAccess, BudgetPart
from dpgov.budgets.services import open_parts
from dpgov.budgets.services.raising import request_raise
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.joint.models import JointQuestion, Party
from dpgov.operation import installed
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.models import Query
from dpgov.queries.workbench.approvals import approve_question
from dpgov.surveys.services import receive
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.cast import join
from tests.integration.queries.asking.approving import wanted_approval
from tests.integration.queries.ready_made.published import published
from tests.integration.surveys.made import drafted, opened, tokens
from tests.integration.tenants.wall.conftest import connected_as, rows
from tests.integration.tenants.wall.stolen import CALLS, CHANGES, ESCALATIONS, FOUND, reserve
from tests.integration.tenants.wall.stolen_joint import JOINT
from tests.integration.tenants.wall.stolen_surveys import SURVEYS
from tests.small_dataset import register_small_dataset
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db(transaction=True)
Two = tuple[Membership, Membership]
Names = dict[str, Any]
# What must be as it was: every number and decision that somebody might want to be another.
WATCHED = (
    "budgets_budget",
    "budgets_reservation",
    "budgets_charge",
    "budgets_correction",
    "budgets_limitchange",
    "budgets_budgetpart",
    "budgets_derivedbudget",
    "budgets_sharedbudgetmember",
    "budgets_freezemark",
    "budgets_restoreseen",
    "approvals_changerequest",
    "datasets_column",
    "datasets_dataset",
    "datasets_derivedfrom",
    "datasets_fingerprintmark",
    "datasets_fingerprintpart",
    "datasets_livemark",
    "datasets_livetable",
    "datasets_look",
    "datasets_termsofuse",
    "datasets_acceptance",
    "datasets_versionfingerprint",
    "datasets_viewer",
    "queries_query",
    "queries_release",
    "audit_audithead",
    "audit_auditentry",
    "audit_auditkey",
    "dpgov_auditor",
    "joint_jointquestion",
    "joint_party",
    "joint_share",
    "surveys_survey",
    "surveys_surveytoken",
    "surveys_tally",
    "tenants_membership",
    "tenants_tenant",
)


def _guards() -> list[tuple[str, str]]:
    """Every guard that any room has installed, and its table."""
    found = [one for one in installed.registered() if one.functions[0].startswith("guard_")]
    return [(one.functions[0], one.postgresql[-1].split(" ON ")[1].split()[0]) for one in found]


@pytest.fixture
def names(
    two_tenants: Two,
    dataset: Dataset,
    foreign_dataset: Dataset,
    owner: Membership,
    officer: Membership,
    stranger: Membership,
) -> Names:
    """Something of everything that is worth forging, and what it is called."""
    ours, theirs = two_tenants
    by = actor_of(owner.user)
    budget = Budget.objects.get(pk=dataset.budget_id)
    shared = open_shared_budget(tenant=owner.tenant, name="shared", limit_nano=10**11, actor=by)
    join_shared_budget(shared_budget=shared, dataset_budget=budget, actor=by)
    # Of another organisation's that they left, the access stays.
    left = open_shared_budget(tenant=stranger.tenant, name="left", limit_nano=1, actor=by)
    BudgetAccess.objects.create(budget=left, tenant=owner.tenant)
    ended = open_shared_budget(tenant=owner.tenant, name="closed", limit_nano=1, actor=by)
    Budget.objects.filter(pk=ended.pk).update(closed_at=timezone.now())
    currency = Currency(Mode.ZCDP, Decimal("1e-6"))
    open_shared_budget(
        tenant=owner.tenant, name="in rho", limit_nano=10**10, actor=by, currency=currency
    )
    request = request_raise(
        membership=owner, budget=budget, limit_nano=budget.limit_nano * 2, reason="more"
    )

    granted = wanted_approval(ours, dataset)
    approve_question(membership=owner, request_id=granted.pk, answer="agreed")

    survey = opened(owner)
    receive(survey=survey, token=tokens(owner, survey, 1)[0], report="0")

    joint, party = _joint(owner, Query.objects.get(tenant=ours.tenant, state=Query.State.QUEUED))

    def question(member: Membership, state: Query.State) -> Any:
        return Query.objects.get(tenant=member.tenant, state=state).pk

    return {
        "ours": ours.tenant_id,
        "left": left.pk,
        "theirs": theirs.tenant_id,
        "budget": budget.pk,
        "foreign_budget": foreign_dataset.budget_id,
        "query": question(ours, Query.State.RELEASED),
        "waiting": question(ours, Query.State.QUEUED),
        "foreign_query": question(theirs, Query.State.QUEUED),
        "request": request.pk,
        "held": held(owner, Dataset.HeldReason.LIKE_EARLIER_DATA).pk,
        "new": held(owner, Dataset.HeldReason.NEW_DATA).pk,
        "ready_made": published(owner, dataset).pk,
        "approval": wanted_approval(ours, dataset).pk,
        "granted": granted.pk,
        "survey": survey.pk,
        "draft": drafted(owner).pk,
        "joint": joint,
        "party": party,
        "owner": owner.user_id,
        "officer": officer.user_id,
        "stranger": stranger.user_id,
    }


def _joint(owner: Membership, query: Query) -> tuple[UUID, UUID]:
    """A joint question that nobody opened, and a party whose key went out."""
    question = JointQuestion.objects.create(
        tenant=owner.tenant,
        title="joint",
        plan={},
        declared={},
        parties=3,
        colluders=1,
        code_hash="0",
        proposed_by=owner.user,
        expires_at=timezone.now(),
    )
    with without_triggers():
        party = Party.objects.create(
            tenant=owner.tenant, question=question, place=0, name="us", query=query, public_key="aa"
        )
    return question.pk, party.pk


def held(owner: Membership, reason: Dataset.HeldReason) -> Dataset:
    dataset = register_small_dataset(owner, name=f"held as {reason}")
    Dataset.objects.filter(pk=dataset.pk).update(held_at=timezone.now(), held_reason=reason)
    return dataset


def everything() -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(rows(f"SELECT t::text FROM {table} t")) for table in WATCHED}


def refused(thief: "psycopg.Connection[Any]", statement: str) -> bool:
    """By an error, by the word of a step, or because there was no row that it might touch."""
    try:
        cursor = thief.execute(statement)
    except psycopg.Error:
        return True
    if cursor.description and cursor.description[0].name == "refusal":
        return all(row[0] is not None for row in cursor)
    return False


def test_what_is_forged_is_refused_and_changes_nothing(names: Names) -> None:
    """L8: direct changes, escalations and forged calls of the ledger's steps, 100 of them."""
    statements = [
        text.format(**names) for text in (*CHANGES, *SURVEYS, *JOINT, *ESCALATIONS, *CALLS)
    ]
    assert len(statements) >= 100
    before = everything()
    with connected_as(dpgov__tenant=str(names["ours"])) as thief:
        accepted = [statement for statement in statements if not refused(thief, statement)]
    assert accepted == []
    assert everything() == before
    call_command("reconcile", stdout=StringIO())


def carried_out(thief: "psycopg.Connection[Any]", statement: str) -> bool:
    """Whether it would have changed or returned anything; it is taken back."""
    with thief.transaction(force_rollback=True):
        try:
            cursor = thief.execute(statement)
        except psycopg.Error:
            return False
        while cursor.nextset():
            pass
        refusing = cursor.description and cursor.description[0].name == "refusal"
        return cursor.rowcount > 0 and not (refusing and cursor.fetchone()[0])  # type: ignore[index]


@pytest.mark.parametrize(("guard", "table"), _guards())
def test_without_any_one_of_the_guards_something_would_be_carried_out(
    guard: str, table: str, names: Names
) -> None:
    """L8: no guard is idle, and none of them stands in for another."""
    statements = [text.format(**names) for text in (*CHANGES, *SURVEYS, *JOINT, *CALLS)]
    rows(f"DROP TRIGGER {guard} ON {table}")
    try:
        with connected_as(dpgov__tenant=str(names["ours"])) as thief:
            assert [each for each in statements if carried_out(thief, each)] != []
    finally:
        installed.put_up()


def test_a_question_is_held_on_the_budget_of_its_own_data_only(
    two_tenants: Two, dataset: Dataset
) -> None:
    """L8: else another budget of the organisation would pay for what this data gives away."""
    tenant = str(dataset.tenant_id)
    other = register_small_dataset(join(dataset.tenant, Role.OWNER, "otto"), name="other")
    open_parts(budget=other.budget, parts=["North"])
    (north,) = BudgetPart.objects.values_list("budget_id", flat=True)
    query = Query.objects.get(tenant=dataset.tenant, state=Query.State.QUEUED)
    query.dataset, query.version = other, current_version(other)
    query.pk, query.idempotency_key = uuid4(), "held by a thief"
    query.save(force_insert=True)
    with connected_as(dpgov__tenant=tenant) as thief:
        paid = {
            budget: carried_out(thief, reserve(str(query.pk), tenant, str(budget)))
            for budget in (dataset.budget_id, other.budget_id, north)
        }
    assert paid == {dataset.budget_id: False, other.budget_id: True, north: True}


@pytest.mark.tampers_with_ledger
def test_what_is_not_refused_is_found(names: Names) -> None:
    """L8: two made-up persons may be named, but the log did not say so."""
    with connected_as(dpgov__tenant=str(names["ours"])) as thief:
        for statement, _ in FOUND:
            thief.execute(statement.format(**names))
    errors = StringIO()
    with pytest.raises(CommandError, match="disagreements found"):
        call_command("reconcile", stdout=StringIO(), stderr=errors)
    missing = [
        said.format(**names) for _, said in FOUND if said.format(**names) not in _all(errors)
    ]
    assert missing == [], _all(errors)
    assert ledger_findings(ChangeRequest.objects.get().tenant) != []


def _all(errors: StringIO) -> str:
    return errors.getvalue()


@pytest.mark.tampers_with_ledger
def test_an_entry_with_another_hash_than_its_own_is_found(names: Names) -> None:
    """L8: the function that appends takes the parts of a line; what does not fit breaks the log."""
    with connected_as(dpgov__tenant=str(names["ours"])) as thief:
        thief.execute(
            "SELECT * FROM audit_append(%s, 'user', 'u', 'anna', 'TENANT_CREATED', 'x:1', '',"
            " '{}', 'a', 'b', 'c')",
            [names["ours"]],
        )
    with pytest.raises(CommandError, match="does not hold"):
        call_command("verify_audit_log", stdout=StringIO(), stderr=StringIO())
