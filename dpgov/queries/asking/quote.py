"""What questions would cost and how exact their answers would be, before anything is spent.

A body asks one question, or several for one amount. A function of the plans, the public metadata
and the ledger; never of the data.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.allocated import AllocationNeeded, Allocations, ChooseAllocation
from dpgov.budgets.charging import Limit, is_own, limits_touched
from dpgov.budgets.services import Line
from dpgov.budgets.words import amount, price
from dpgov.datasets.fitting import NOTHING, Fit, PersonalPolicy, Question, fit
from dpgov.datasets.models import Dataset, DatasetVersion, TermsOfUse
from dpgov.datasets.selectors import current_version
from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.covers import Cover
from dpgov.privacy.plan.plan import Plan
from dpgov.queries.asking.asked import Asked, read_batch, read_wanted
from dpgov.queries.asking.gate import NotOpen, TermsNotAccepted, closed_to
from dpgov.queries.asking.policy import outside_policy, policy_for, short_of_permit, too_dear
from dpgov.queries.asking.touched import largest_whole, least_whole, lines_of
from dpgov.queries.asking.work import tables_in_json
from dpgov.queries.free.finding import NOTHING_STORED, Reusable, reusable_for
from dpgov.tenants.models import User


def priced_blueprint(
    dataset: Dataset, raw_plan: object, assumed_rows: int | None = None
) -> Blueprint:
    """The plan with its amount: its own, or the smallest that its accuracy needs; InvalidPlan."""
    return read_wanted(current_version(dataset), raw_plan, assumed_rows).blueprints[0]


@dataclass(frozen=True, slots=True)
class Priced:
    """One question at its price, or at its part of it, and what its answer would look like."""

    blueprint: Blueprint
    description: dict[str, Any]
    currency: Currency

    @property
    def plan(self) -> Plan:
        """What is asked, with its amount."""
        return self.blueprint.plan

    @property
    def cost_nano(self) -> int:
        """What it costs."""
        return self.blueprint.cost_nano


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of one question or of several together, in `currency`.

    `refusal` says why they would be refused, if they would; `lacks_permit`: an owner's permit is
    all that they are short of. `limits` are all that they touch, the tightest first. The largest
    fit is the most that would be accepted for the same body, as what the dataset counts and as a
    pure ε; `largest` says what binds it, for a single question. `least_nano` is the least, where
    this price is below it. `stored` looks up what stored answers offer.
    `terms_to_accept` is the version of the terms of use that this person has to accept first.
    `cover` says how a set of tables is drawn. `is_used_up`: a limit has too little left for it at
    any price. `only_ready_made`: nothing else may be asked.
    `not_now`: another reason than its amount refuses it, which no other amount would mend.
    `parent_lacking`: the budget of a parent on which they need an allocation and have none.
    """

    questions: tuple[Priced, ...]
    currency: Currency
    refusal: str | None = None
    lacks_permit: bool = False
    limits: tuple[Limit, ...] = ()
    largest_fit_nano: int = 0
    largest_fit_epsilon_nano: int = 0
    largest: Fit = NOTHING
    least_nano: int = 0
    stored: Callable[[], Reusable] = field(default=lambda: NOTHING_STORED, compare=False)
    terms_to_accept: TermsOfUse | None = None
    cover: Cover | Adaptively | None = None
    is_used_up: bool = False
    only_ready_made: bool = False
    not_now: bool = False
    parent_lacking: UUID | None = None

    @property
    def reusable(self) -> Reusable:
        """What stored answers offer for nothing in place of a single question."""
        return self.stored()

    @property
    def plan(self) -> Plan:
        """That of a single question."""
        return self.questions[0].plan

    @property
    def description(self) -> dict[str, Any]:
        """That of a single question."""
        return self.questions[0].description

    @property
    def tables_as_json(self) -> dict[str, Any] | None:
        """How a set of tables is drawn, if it is one."""
        return tables_in_json(self.cover, [one.blueprint for one in self.questions])

    @property
    def cost_nano(self) -> int:
        """What all of them cost."""
        return sum(one.cost_nano for one in self.questions)

    @property
    def adds_nano(self) -> int:
        """What they would add to the ε (at δ) of everything before them, rounded up.

        Of several parts, to the one where they add most.
        """
        own = [limit for limit in self.limits if is_own(limit)]
        return max(
            (self.currency.adds(one.taken_nano, one.committed_nano) for one in own),
            default=self.currency.together(self.cost_nano),
        )

    @property
    def price_words(self) -> str:
        """The price, and under ρ what it adds."""
        return price(self.cost_nano, self.adds_nano, self.currency)

    @property
    def times_that_fit(self) -> int:
        """How many such questions fit now under every limit that this one touches; 0 if refused."""
        if self.refusal or not self.limits:
            return 0
        return min(limit.admitted_nano // max(1, limit.taken_nano) for limit in self.limits)

    @property
    def remaining_nano(self) -> int:
        """What the dataset's own budget (the tightest part of it that is asked) still has."""
        return min((limit.remaining_nano for limit in self.limits if is_own(limit)), default=0)

    @property
    def remaining_after_nano(self) -> int:
        """What would remain; what remains now if it would be refused."""
        return self.remaining_nano if self.refusal else self.remaining_if_asked_nano

    @property
    def remaining_if_asked_nano(self) -> int:
        """What would remain if it were asked in spite of a refusal; below 0 where it cannot be."""
        return self.remaining_nano - self.cost_nano


def quote(
    *,
    user: User,
    dataset: Dataset,
    raw_plan: object,
    assumed_rows: int | None = None,
    allocation_id: UUID | None = None,
    version: DatasetVersion | None = None,
    allocations: Allocations | None = None,
) -> Quote:
    """Price a plan for this person; raises InvalidPlan. Changes nothing.

    The plan may name an "accuracy" in place of an amount: it gets the smallest that is enough.
    `assumed_rows` is the reader's own guess of how many rows match, for errors of means.
    The newest `version` and the person's `allocations` are read here where the caller did not.
    """
    asked = read_wanted(version or current_version(dataset), raw_plan, assumed_rows)
    return _quoted(asked, user, assumed_rows, allocation_id, allocations)


def quote_batch(
    *,
    user: User,
    dataset: Dataset,
    raw_batch: object,
    assumed_rows: int | None = None,
    allocation_id: UUID | None = None,
    version: DatasetVersion | None = None,
) -> Quote:
    """The same for several questions together; the guess is meant for each of them."""
    asked = read_batch(version or current_version(dataset), raw_batch)
    return _quoted(asked, user, assumed_rows, allocation_id)


def _quoted(
    asked: Asked,
    user: User,
    assumed_rows: int | None = None,
    allocation_id: UUID | None = None,
    allocations: Allocations | None = None,
) -> Quote:
    """The price of what was read already."""
    dataset, blueprints = asked.version.dataset, asked.blueprints
    policy, closed = policy_for(dataset, user, asked.ready_made), closed_to(dataset, user)
    unread = closed if isinstance(closed, TermsNotAccepted) and closed.is_own else None
    priced = Quote(
        tuple(Priced(one, one.describe(assumed_rows), dataset.currency) for one in blueprints),
        dataset.currency,
        terms_to_accept=None if unread is None else unread.terms,
        cover=None if asked.batch is None else asked.batch.cover,
        only_ready_made=policy.only_approved,
    )
    if asked.batch is None and not policy.only_approved:
        # Not before it is shown: who asks at this price, or is refused, waits for none of it.
        look = partial(reusable_for, asked.version, blueprints[0], assumed_rows=assumed_rows)
        priced = replace(priced, stored=cache(look))
    try:
        lines = [
            lines_of(one, dataset=dataset, user=user, allocation_id=allocation_id, own=allocations)
            for one in blueprints
        ]
    except (AllocationNeeded, ChooseAllocation) as problem:
        lacking = None if problem.parent is None else problem.parent.budget_id
        return replace(priced, refusal=str(problem), not_now=True, parent_lacking=lacking)
    return _under_limits(priced, asked, lines, policy, closed)


def _under_limits(
    priced: Quote,
    asked: Asked,
    lines: Sequence[Sequence[Line]],
    policy: PersonalPolicy,
    closed: NotOpen | None,
) -> Quote:
    """The same with every limit over these lines, and whether it would be accepted."""
    together = [line for of_one in lines for line in of_one]
    taken: Counter[UUID | None] = Counter()
    for line in together:
        taken[line.budget_id] += line.amount_nano
    limits = [
        replace(limit, taken_nano=taken[limit.budget_id]) for limit in limits_touched(together)
    ]
    limits.sort(key=lambda limit: Fraction(limit.admitted_nano, limit.taken_nano))
    whole = replace(priced, limits=tuple(limits))
    refusal = str(closed) if closed else _refusal(whole, asked, policy.rules.per_query_nano)
    outside, lacks_permit = (None, False) if refusal else _outside(asked, policy)
    most = NOTHING if closed else _largest_fit(whole, asked, lines, policy)
    return replace(
        whole,
        refusal=refusal or outside,
        lacks_permit=lacks_permit,
        largest_fit_nano=most.nano,
        largest_fit_epsilon_nano=most.epsilon_nano,
        largest=most,
        least_nano=least_whole(asked.blueprints, most.nano, policy),
        is_used_up=not (closed or policy.only_approved or most.nano)
        and any(not (one.fits or one.stopped) for one in limits),
        not_now=bool(closed) or policy.stopped or any(one.stopped for one in limits),
    )


def _refusal(priced: Quote, asked: Asked, most_nano: int) -> str | None:
    """What one question may cost, the dataset's state, and the ledger."""
    dataset = asked.version.dataset
    for place, one in enumerate(asked.blueprints, start=1):
        if one.cost_nano > most_nano:
            return too_dear(one, most_nano, dataset, None if asked.batch is None else place)
    if dataset.budget.frozen_at is not None:
        return _("This dataset is frozen until a compliance officer confirms its balance.")
    short = next((limit for limit in priced.limits if not limit.fits), None)
    if short is None:
        return None
    if short.stopped:
        refusal = _("Nothing more is admitted of {limit}: it is frozen or has ended.")
        return refusal.format(limit=short.words)
    if asked.batch is None:
        return short.shortage
    taken = amount(short.taken_nano, short.currency)
    return f"{_('These questions together take {amount}.').format(amount=taken)} {short.shortage}"


def _outside(asked: Asked, policy: PersonalPolicy) -> tuple[str | None, bool]:
    """Why the policy refuses the first that it refuses, and whether a permit is all it lacks."""
    for one in asked.blueprints:
        if (refusal := outside_policy(one, policy)) is not None:
            return refusal, short_of_permit(one, policy)
    return None, False


def _largest_fit(
    priced: Quote, asked: Asked, lines: Sequence[Sequence[Line]], policy: PersonalPolicy
) -> Fit:
    first = asked.blueprints[0]
    if policy.only_approved:
        return NOTHING
    if asked.batch is None:
        return fit(policy, priced.limits, Question(first.plan, first.schema))
    whole = largest_whole(asked.batch, first.schema, lines, priced.limits, policy)
    return Fit(whole, priced.currency.largest_question(whole))
