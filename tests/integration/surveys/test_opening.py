"""M1: opening a survey is one charge for all respondents, to the right budget, by enough people.

What could overspend: a survey that opens without its charge, charges twice, charges what others
share on one person's word, or passes a limit, a freeze or an end in the same moment.
"""

from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction

from dpgov.approvals.errors import MayNotDecide, OwnRequest
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.errors import AlreadyCorrected, BudgetFrozen, InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.surveys import charge_survey
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode, rho_of
from dpgov.surveys.errors import BadSurvey, NotADraft, TakesTwoPersons
from dpgov.surveys.models import Survey
from dpgov.surveys.services import close_survey, open_alone
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import agreed, asked_for, drafted, opened, shared
from tests.triggers import without_triggers


def test_an_owner_opens_a_survey_on_a_budget_of_its_own(owner: Membership) -> None:
    """M1: one charge of ε, all of that budget, under the survey's id; and never again."""
    survey = opened(owner)
    charge = Correction.objects.get(pk=survey.pk)
    assert (survey.state, survey.charged_nano) == ("open", NANO)
    assert charge.budget.kind == Budget.Kind.SURVEY
    assert (charge.budget.limit_nano, charge.budget.spent_nano) == (NANO, NANO)
    with pytest.raises(NotADraft):
        open_alone(membership=owner, survey=survey)
    assert Correction.objects.count() == 1


def test_a_shared_budget_is_charged_when_a_second_person_agrees(
    owner: Membership, officer: Membership
) -> None:
    """M1: nothing by the request, everything by the approval."""
    budget = shared(owner)
    survey = drafted(owner, shared_budget=budget)
    with pytest.raises(TakesTwoPersons):
        open_alone(membership=owner, survey=survey)
    request = asked_for(owner, survey)
    budget.refresh_from_db()
    assert budget.spent_nano == 0
    with pytest.raises(OwnRequest):
        agreed(owner, request)
    assert agreed(officer, request).state == ChangeRequest.State.APPROVED
    budget.refresh_from_db()
    survey.refresh_from_db()
    assert (budget.spent_nano, survey.state, survey.budget_id) == (NANO, "open", budget.pk)


def test_another_owner_is_no_second_person(owner: Membership, analyst: Membership) -> None:
    survey = drafted(owner, shared_budget=shared(owner))
    request = asked_for(owner, survey)
    with pytest.raises(MayNotDecide):
        agreed(analyst, request)
    assert Correction.objects.count() == 0


def test_what_does_not_fit_is_refused_and_the_request_waits(
    owner: Membership, officer: Membership
) -> None:
    """M1: the limit binds to the last billionth."""
    budget = shared(owner, limit_nano=NANO - 1)
    survey = drafted(owner, shared_budget=budget)
    request = asked_for(owner, survey)
    with pytest.raises(InsufficientBudget):
        agreed(officer, request)
    request.refresh_from_db()
    survey.refresh_from_db()
    assert (request.state, survey.state) == ("waiting", "draft")
    assert Correction.objects.count() == 0


def test_a_frozen_budget_opens_nothing(owner: Membership, officer: Membership) -> None:
    """M1: frozen between the request and the approval."""
    survey = drafted(owner, shared_budget=shared(owner))
    request = asked_for(owner, survey)
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored", actor=OPERATOR)
    with pytest.raises(BudgetFrozen):
        agreed(officer, request)
    survey.refresh_from_db()
    assert survey.state == "draft"


def test_a_survey_that_was_closed_meanwhile_lapses(owner: Membership, officer: Membership) -> None:
    survey = drafted(owner, shared_budget=shared(owner))
    request = asked_for(owner, survey)
    close_survey(membership=owner, survey=survey)
    assert agreed(officer, request).state == ChangeRequest.State.STALE
    assert Correction.objects.count() == 0


def test_where_rho_is_counted_the_price_is_that_of_any_pure_mechanism(
    owner: Membership, officer: Membership
) -> None:
    """M1: ε tanh(ε/2), rounded up."""
    budget = shared(owner, currency=Currency(Mode.ZCDP, Decimal("1e-6")), limit_nano=10 * NANO)
    survey = drafted(owner, shared_budget=budget)
    agreed(officer, asked_for(owner, survey))
    survey.refresh_from_db()
    assert survey.charged_nano == rho_of(NANO)


def test_a_budget_that_hides_groups_is_charged_for_the_answers_of_a_group(
    owner: Membership, officer: Membership
) -> None:
    """M1: three people together lose three times ε."""
    budget = shared(owner)
    Budget.objects.filter(pk=budget.pk).update(protects="3:add_remove")
    survey = drafted(owner, shared_budget=Budget.objects.get(pk=budget.pk))
    agreed(officer, asked_for(owner, survey))
    survey.refresh_from_db()
    assert survey.charged_nano == 3 * NANO


def test_a_foreign_budget_is_not_charged(owner: Membership, stranger: Membership) -> None:
    survey = drafted(owner)
    foreign = shared(stranger)
    with pytest.raises(Exception, match="cannot be shared"):
        charge_survey(
            survey_id=survey.pk,
            tenant=owner.tenant,
            budget_id=foreign.pk,
            epsilon_nano=NANO,
            agreed_nano=NANO,
            reason="",
        )


def test_the_log_and_the_ledger_agree_about_surveys(owner: Membership, officer: Membership) -> None:
    """M1: of its own, on shared budgets in ε and in ρ: every balance is what the log adds up to."""
    opened(owner)
    rho = Currency(Mode.ZCDP, Decimal("1e-6"))
    for budget in (shared(owner), shared(owner, name="in rho", currency=rho, limit_nano=10 * NANO)):
        agreed(officer, asked_for(owner, drafted(owner, shared_budget=budget)))
    with acting_for(owner.tenant_id):
        assert reconcile(owner.tenant).findings == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": " "},
        {"question": "x" * 301},
        {"answers": ["Yes"]},
        {"answers": ["Yes", "yes "]},
        {"answers": ["Yes", "x" * 101]},
        {"answers": [str(n) for n in range(51)]},
        {"epsilon_nano": NANO // 10 - 1},
        {"epsilon_nano": 10 * NANO + 1},
        {"expected": 0},
    ],
    ids=str,
)
def test_what_makes_no_survey_is_refused(owner: Membership, wrong: dict[str, object]) -> None:
    with pytest.raises(BadSurvey):
        drafted(owner, **wrong)
    assert Survey.objects.count() == 0


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Another?"},
        {"answers": ["No", "Yes"]},
        {"kept": 4_294_967_290, "other": 6},
        {"epsilon_nano": 1},
        {"state": "draft"},
        {"by_token": False},
    ],
    ids=str,
)
def test_the_database_changes_no_survey_that_was_made(
    owner: Membership, change: dict[str, object]
) -> None:
    """M1: whoever writes: what is asked, how it is randomised, and what was open."""
    survey = opened(owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        Survey.objects.filter(pk=survey.pk).update(**change)


def test_the_database_opens_nothing_that_is_not_charged(owner: Membership) -> None:
    """M1: plain SQL, with a budget that was charged for something else."""
    first, second = opened(owner), drafted(owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        Survey.objects.filter(pk=second.pk).update(
            state="open", budget=first.budget, charged_nano=NANO
        )
    close_survey(membership=owner, survey=first)
    with pytest.raises(DatabaseError), transaction.atomic():
        Survey.objects.filter(pk=first.pk).update(state="open")


def test_the_database_charges_no_shared_budget_that_nobody_approved(owner: Membership) -> None:
    """M1: the service alone, without a second person; and past the guard it is found."""
    budget, survey = shared(owner), drafted(owner)

    def charge() -> None:
        with acting_for(owner.tenant_id):
            charge_survey(
                survey_id=survey.pk,
                tenant=owner.tenant,
                budget_id=budget.pk,
                epsilon_nano=NANO,
                agreed_nano=NANO,
                reason="nobody asked",
            )

    with pytest.raises(AlreadyCorrected), transaction.atomic():
        charge()
    with transaction.atomic():
        with without_triggers("budgets_correction"):
            charge()
        found = ledger_findings(owner.tenant)
        transaction.set_rollback(True)
    assert any("no two persons approved" in finding for finding in found)
