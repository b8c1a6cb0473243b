"""Whether a question keeps the dataset's policy: looked at when it is priced and when it is sent.

A function of the plan, declarations and the clock's day; never of data. Counts alone have a least
error, because only their error is counted in rows.
"""

from collections.abc import Iterable
from dataclasses import replace

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.budgets.words import amount, question
from dpgov.datasets.fitting import PersonalPolicy, policy_of, too_exact
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.language.translation import percent
from dpgov.operation.clock import database_now
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.models import BudgetRequest, ReadyMade
from dpgov.tenants.models import User

ONLY_READY_MADE = gettext_noop(
    "Only ready-made questions may be asked of this dataset: its owners published them."
)


class QueryLimitExceeded(Exception):
    """One question may not cost this much on this dataset."""

    def __init__(self, *, requested_nano: int, limit_nano: int, currency: Currency = PURE) -> None:
        self.requested_nano = requested_nano
        self.limit_nano = limit_nano
        super().__init__(
            _(
                "One question on this dataset may cost at most {most}; this one costs {price}."
            ).format(most=question(limit_nano, currency), price=question(requested_nano, currency))
        )


class OutsidePolicy(QueryLimitExceeded):
    """The dataset's owner does not let this be asked, or not without asking them first."""

    reason = "policy"
    # What the API calls it.
    code = "outside_policy"

    def __init__(self, message: str, *, requested_nano: int) -> None:
        self.requested_nano = requested_nano
        self.limit_nano = requested_nano
        Exception.__init__(self, message)


class OnlyReadyMade(OutsidePolicy):
    """The owners of the dataset let ready-made questions be asked, and nothing else."""

    code = "only_ready_made"

    def __init__(self, requested_nano: int = 0) -> None:
        super().__init__(_(ONLY_READY_MADE), requested_nano=requested_nano)


class NeedsApproval(OutsidePolicy):
    """It costs more than may be asked without a permit or an owner's approval of just this one."""

    code = "needs_approval"


def policy_for(
    dataset: Dataset,
    user: User,
    ready_made: ReadyMade | None = None,
    approval: BudgetRequest | None = None,
) -> PersonalPolicy:
    """What the dataset asks of this person's question now, besides the ledger.

    An `approval` is a permit for its price, and for no other rule.
    """
    policy = policy_of(dataset, user, lambda: database_now().date())
    if approval is not None and approval.cost_nano is not None:
        most = max(policy.permitted_nano, approval.cost_nano)
        return replace(policy, permitted_nano=most)
    return policy if ready_made is None else replace(policy, approved=True)


def refuse_outside(blueprint: Blueprint, dataset: Dataset, policy: PersonalPolicy) -> None:
    """Raises QueryLimitExceeded and OutsidePolicy, OnlyReadyMade and NeedsApproval among them."""
    if policy.only_approved:
        raise OnlyReadyMade(blueprint.cost_nano)
    if blueprint.cost_nano > policy.rules.per_query_nano:
        raise QueryLimitExceeded(
            requested_nano=blueprint.cost_nano,
            limit_nano=policy.rules.per_query_nano,
            currency=dataset.budget.currency,
        )
    refused = outside_policy(blueprint, policy)
    if refused is not None:
        refusal = NeedsApproval if short_of_permit(blueprint, policy) else OutsidePolicy
        raise refusal(refused, requested_nano=blueprint.cost_nano)


def outside_policy(blueprint: Blueprint, policy: PersonalPolicy) -> str | None:
    """Why the policy refuses it, and what would fit; None when it does not.

    Here is the least price of a question, too, for every way in which one is asked or priced.
    The most that one question may cost is not looked at here.
    """
    return (
        (_(ONLY_READY_MADE) if policy.only_approved else None)
        or _of_least_price(blueprint, policy)
        or _of_statistics(blueprint, policy.rules)
        or _of_errors(blueprint, policy.rules)
        or _of_price(blueprint, policy)
    )


def too_dear(blueprint: Blueprint, most_nano: int, dataset: Dataset, place: int | None) -> str:
    """It costs more than one question may; `place` is that of a question in its batch."""
    currency = dataset.budget.currency
    most = question(most_nano, currency)
    if place is None:
        return _("One question on this dataset may cost at most {most}.").format(most=most)
    return _(
        "Question {number} would cost {price}; one question on this dataset may cost at "
        "most {most}."
    ).format(number=place, price=question(blueprint.cost_nano, currency), most=most)


def short_of_permit(blueprint: Blueprint, policy: PersonalPolicy) -> bool:
    """Whether it lacks a permit, or approval, alone: nothing else of the policy refuses it."""
    rules = policy.rules
    refused = (
        _of_least_price(blueprint, policy)
        or _of_statistics(blueprint, rules)
        or _of_errors(blueprint, rules)
    )
    if policy.only_approved:
        return False
    return refused is None and _of_price(blueprint, policy) is not None


def _of_least_price(blueprint: Blueprint, policy: PersonalPolicy) -> str | None:
    if blueprint.cost_nano >= policy.least_nano:
        return None
    pattern = _("Each question on this dataset costs at least {least}; this one costs {price}.")
    # Exactly as they are typed: a rounded amount could be the very one that is refused.
    least, price = (
        amount(nano, policy.currency) for nano in (policy.least_nano, blueprint.cost_nano)
    )
    return pattern.format(least=least, price=price)


def _of_statistics(blueprint: Blueprint, rules: Rules) -> str | None:
    if not rules.statistics:
        return None
    refused = sorted({s.kind.value for s in blueprint.plan.statistics} - set(rules.statistics))
    if not refused:
        return None
    pattern = _("The owner does not allow this here: {refused}. You may ask for: {allowed}.")
    return pattern.format(refused=_named(refused), allowed=_named(rules.statistics))


def _named(statistics: Iterable[str]) -> str:
    return ", ".join(_(STATISTICS[name].name) for name in statistics)


def _of_errors(blueprint: Blueprint, rules: Rules) -> str | None:
    least, error = rules.least_error, too_exact(rules, blueprint)
    if least is None or error is None:
        return None
    pattern = _(
        "The owner wants the error bound of a count to be {least} at least (at {level} "
        "confidence); that of this one would be {error}. Lower its price."
    )
    return pattern.format(
        least=number_format(least, force_grouping=True),
        level=percent(95),
        error=number_format(error, force_grouping=True),
    )


def _of_price(blueprint: Blueprint, policy: PersonalPolicy) -> str | None:
    most = policy.rules.approval_above_nano
    if policy.approved or most is None or blueprint.cost_nano <= max(most, policy.permitted_nano):
        return None
    if most == 0:
        return _(
            "Each question about this dataset needs an owner's approval. Ask for that of this one."
        )
    return _(
        "Questions above {price} need the owner's permit, or approval of just this one. Ask for "
        "either, or lower the price."
    ).format(price=question(most, policy.currency))
