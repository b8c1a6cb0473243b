"""What fits: the largest question of one person that would be accepted now, and what binds it.

The one place that knows every limit of a question: those of the ledger that it touches (the
dataset, its parts, an allocation, rates, shared budgets), the policy, its permits and the least
price. Every page, price, refusal and API answer that says what fits takes it from here, so that
asking for it is accepted and a billionth more is refused.

A function of the question, the declarations, the ledger and the day; never of data.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from uuid import UUID

from dpgov.budgets.charging import Limit
from dpgov.datasets.lineage import governing
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import (
    Rules,
    least_price_nano,
    permitted_to,
    rules_of,
    rules_shown,
)
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import InvalidPlan, Plan, Statistic
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.privacy.plan.statistics import Quantity, StatisticKind
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class PersonalPolicy:
    """What a dataset asks of one person's question besides the ledger, in its currency.

    `permitted_nano` is what a permit lets them pass "needs a permit" up to; 0 without one.
    `stopped`: nothing is asked of it at all now. `approved`: an owner approved this very question
    beforehand, so that it needs no permit.
    """

    rules: Rules
    currency: Currency
    permitted_nano: int = 0
    least_nano: int = 1
    stopped: bool = False
    approved: bool = False

    @property
    def most_nano(self) -> int:
        """The most that one question of this person may cost."""
        above = self.rules.approval_above_nano
        if above is None or self.approved:
            return self.rules.per_query_nano
        return min(self.rules.per_query_nano, max(above, self.permitted_nano))

    @property
    def only_approved(self) -> bool:
        """Whether the question is refused because no owner approved it beforehand."""
        return self.rules.only_ready_made and not self.approved

    @property
    def needs_permit(self) -> bool:
        """Whether a permit would let them ask more."""
        return self.most_nano < self.rules.per_query_nano


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, at whatever price."""

    plan: Plan
    schema: DatasetSchema


@dataclass(frozen=True, slots=True)
class Fit:
    """The largest cost that would be accepted: `nano` in what the dataset counts.

    `epsilon_nano` is the largest pure ε, where a question is asked by one. `in_all_nano` is what
    all further questions together can still take now. `binding` is the limit of the ledger that
    admits no more; None where the policy admits less, or the limit of one question.
    """

    nano: int
    epsilon_nano: int
    in_all_nano: int = 0
    binding: Limit | None = None
    by_permit: bool = False
    by_error: bool = False


NOTHING = Fit(0, 0)


def all_rows(dataset: Dataset) -> Question | None:
    """The count of all rows: what pages have in mind that speak of no question in particular.

    None where the policy does not let it be asked.
    """
    rules, count = rules_shown(dataset), StatisticKind.COUNT
    if rules.statistics and count.value not in rules.statistics:
        return None
    unit = PrivacyUnit(
        dataset.private_id or None, dataset.max_rows_per_unit, dataset.max_groups_per_unit
    )
    schema = DatasetSchema(
        columns=(),
        unit=unit,
        neighbouring=Neighbouring(dataset.neighbouring),
        group_size=dataset.group_size,
        max_rows=dataset.max_rows,
        mode=dataset.budget.currency.mode,
    )
    return Question(Plan(dataset.slug, (Statistic(count),), (), (), None), schema)


def policy_of(dataset: Dataset, user: User, today: Callable[[], date]) -> PersonalPolicy:
    """Read now, for a decision. The day is looked up only where a permit could matter."""
    rules, permitted = rules_of(dataset), 0
    if rules.approval_above_nano is not None:
        permitted = permitted_to(user, [dataset.pk], today()).get(dataset.pk, 0)
    return _with(dataset, rules, permitted)


def policies_shown(
    datasets: Collection[Dataset], user: User | None, today: date
) -> Mapping[UUID, PersonalPolicy]:
    """The same for pages that list datasets, which were read with their policy."""
    rules = {dataset.pk: rules_shown(dataset) for dataset in datasets}
    asking = [pk for pk, one in rules.items() if one.approval_above_nano is not None]
    permitted = permitted_to(user, asking, today) if user and asking else {}
    return {one.pk: _with(one, rules[one.pk], permitted.get(one.pk, 0)) for one in datasets}


def _with(dataset: Dataset, rules: Rules, permitted_nano: int) -> PersonalPolicy:
    budget = dataset.budget
    stopped = [
        moment
        for one in governing(dataset)
        for moment in (
            one.budget.frozen_at,
            one.budget.closed_at,
            one.archived_at,
            one.held_at,
            one.paused_at,
        )
    ]
    return PersonalPolicy(
        rules,
        budget.currency,
        permitted_nano,
        least_price_nano(dataset, rules),
        stopped=any(moment is not None for moment in stopped),
    )


def fit(policy: PersonalPolicy, limits: Sequence[Limit], question: Question | None = None) -> Fit:
    """What fits under these limits of the ledger, for a question like this one.

    Without a question: for one of which nothing is known but its price.
    """
    if (
        policy.stopped
        or not limits
        or (question is not None and not is_allowed(policy.rules, question.plan))
    ):
        return NOTHING
    tightest = min(limits, key=lambda limit: limit.fit_nano)
    most = min(tightest.fit_nano, policy.most_nano)
    nano, epsilon = largest(policy, most, question)
    return Fit(
        nano,
        epsilon,
        in_all_nano=tightest.fit_nano,
        binding=tightest if tightest.fit_nano <= policy.most_nano and nano == most else None,
        by_permit=policy.needs_permit and nano == policy.most_nano,
        by_error=nano < most,
    )


def largest(policy: PersonalPolicy, most_nano: int, question: Question | None) -> tuple[int, int]:
    """The largest price up to this one that the policy accepts, in the currency and as pure ε."""
    if most_nano < policy.least_nano:
        return 0, 0
    pure_most = policy.currency.largest_question(most_nano)
    if question is None:
        return most_nano, pure_most
    nano = _search(policy, question, most_nano, as_unit)
    if policy.currency.delta is None:
        return nano, nano
    return nano, _search(policy, question, pure_most, as_pure)


def too_exact(rules: Rules, blueprint: Blueprint) -> float | None:
    """The smallest error that a count would have, where the policy wants a larger one.

    Of cumulative counts the most exact one is looked at, not the worst, which quotes state.
    """
    if rules.least_error is None:
        return None
    errors = [
        statement["value"]
        for column, statements in blueprint.narrowest()
        for statement in statements
        if column.statistic.kind.facts.quantity is Quantity.NUMBER
        and statement["confidence_level"] == USUAL_STATED
    ]
    least = min((error for error in errors if error is not None), default=None)
    return least if least is not None and least < rules.least_error else None


def as_unit(plan: Plan, mode: Mode, nano: int) -> Plan:
    """The plan for so much of what the dataset counts in."""
    if mode is Mode.PURE:
        return as_pure(plan, mode, nano)
    return replace(plan, epsilon_nano=None, rho_nano=nano)


def as_pure(plan: Plan, mode: Mode, nano: int) -> Plan:
    """The plan for a pure ε, in either mode."""
    return replace(plan, epsilon_nano=nano, rho_nano=None)


def is_allowed(rules: Rules, plan: Plan) -> bool:
    """Whether the policy lets every statistic of it be asked."""
    return not rules.statistics or {one.kind.value for one in plan.statistics} <= set(
        rules.statistics
    )


def _search(
    policy: PersonalPolicy,
    question: Question,
    most_nano: int,
    way: Callable[[Plan, Mode, int], Plan],
) -> int:
    """The largest amount that leaves noise to draw, and errors as large as the policy wants."""

    @cache
    def made(nano: int) -> Blueprint | None:
        try:
            plan = way(question.plan, question.schema.mode, nano)
            return prepare(plan, question.schema)
        except InvalidPlan:
            return None

    def is_fine(nano: int) -> bool:
        found = made(nano)
        return found is None or too_exact(policy.rules, found) is None

    low, high = (most_nano, most_nano) if is_fine(most_nano) else (0, most_nano)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_fine(middle) else (low, middle)
    found = made(low) if low else None
    return low if found is not None and found.cost_nano >= policy.least_nano else 0
