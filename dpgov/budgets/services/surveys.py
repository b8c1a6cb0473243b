"""One charge for all who answer a survey, made when it opens: a step that no question makes.

Each respondent loses the survey's ε once, whoever they are, so that one charge to the budget of
their people counts for all of them. It is a correction of a kind of its own under the survey's own
id, which makes it once for ever; the row's lock, limit and CHECK are those of every step. Must
never charge what others share on one person's word: a shared budget takes an approved request, a
guard of the database asks for it (`guard_survey_charge`), and `findings` looks for it again.

What could overspend: a second charge or none, by a crash between the charge and the opening; the
caller does both in one transaction. A freeze or an end in the same moment is seen under the lock.
"""

from uuid import UUID

from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.freezing import confirm_place
from dpgov.budgets.services.opening import open_budget
from dpgov.budgets.services.shared_budgets import CannotShare, locked, refuse_standing_still
from dpgov.budgets.words import promise_of, together_of
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.tenants.models import Tenant

OPEN_SURVEY = "open_survey"


class NotTheirsAlone(CannotShare):
    """Another organisation agreed to questions on this budget, and to nothing else."""

    def __init__(self) -> None:
        LedgerRefusal.__init__(
            self,
            said(
                "Another organisation shares this budget and did not agree to surveys. Name a "
                "budget that is yours alone."
            ),
        )


class OtherPrice(LedgerRefusal):
    """Who approved read another price than the one that the budget asks now."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "The price of this survey is another one than when it was requested. Request it "
                "again."
            )
        )


def survey_price(budget: Budget | None, epsilon_nano: int) -> int:
    """What a survey of this ε takes of a budget, in its currency, rounded up; None: of its own.

    A budget that hides k people together is charged for k answers: k reports multiply. One that
    does not say yet whom it protects counts as one person's, and takes in no data that hides more
    once it was charged (`shared_budgets.PaidForOneEach`).
    """
    if budget is None:
        return epsilon_nano
    return budget.currency.price_of(epsilon_nano * together_of(budget))


def charge_survey_alone(
    *, survey_id: UUID, tenant: Tenant, label: str, epsilon_nano: int
) -> Correction:
    """A budget for this survey alone, all of which is spent at once. Raises AlreadyCorrected."""
    confirm_place()
    budget = open_budget(
        tenant=tenant,
        label=label[:200],
        limit_nano=epsilon_nano,
        kind=Budget.Kind.SURVEY,
        protects=promise_of(1, removed=False),
    )
    return correct(
        budget=budget,
        kind=Correction.Kind.SURVEY,
        amount_nano=epsilon_nano,
        identity=survey_id,
    )


def end_survey_budget(budget_id: UUID) -> None:
    """No report comes any more: a budget of the survey alone is closed, a shared one goes on."""
    own = Budget.objects.filter(pk=budget_id, kind=Budget.Kind.SURVEY, closed_at__isnull=True)
    own.update(closed_at=clock.now())


def charge_survey(
    *,
    survey_id: UUID,
    tenant: Tenant,
    budget_id: UUID,
    epsilon_nano: int,
    agreed_nano: int,
    reason: str,
) -> Correction:
    """Charge a shared budget of the tenant's own, as two persons approved.

    Raises InsufficientBudget, BudgetFrozen, BudgetClosed, CannotShare for what is no shared budget
    of theirs, NotTheirsAlone where another organisation shares it, OtherPrice where a dataset that
    joined meanwhile changed the price, and AlreadyCorrected.
    """
    confirm_place()
    budget = locked([budget_id]).get(budget_id)
    if budget is None or (budget.tenant_id, budget.kind) != (tenant.pk, Budget.Kind.SHARED_BUDGET):
        raise CannotShare
    refuse_standing_still([budget])
    if shared_with_others(budget.pk, tenant.pk):
        raise NotTheirsAlone
    price = survey_price(budget, epsilon_nano)
    if price != agreed_nano:
        raise OtherPrice
    return correct(
        budget=budget,
        kind=Correction.Kind.SURVEY,
        amount_nano=price,
        identity=survey_id,
        reason=reason,
    )
