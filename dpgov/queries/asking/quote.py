"""What a question would cost and how exact its answer would be, before anything is spent.

A function of the plan, the public metadata and the ledger; never of the data.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.charging import (
    AllocationNeeded,
    ChooseAllocation,
    Grants,
    Limit,
    is_own,
    limits_touched,
)
from dpgov.budgets.words import price, question
from dpgov.datasets.fitting import NOTHING, Fit, Question, fit
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.currency import PURE, Currency
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.wanted import cheapest, parse_wanted
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import Plan
from dpgov.queries.asking.policy import outside_policy, short_of_permit, terms_for
from dpgov.queries.asking.touched import lines_of
from dpgov.queries.free.reuse import NOTHING_STORED, Reusable, reusable_for
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a plan, in `currency`. `refusal` says why it would be refused, if it would.

    `limits` are all limits that it touches, the tightest first; `remaining_nano` is what the
    dataset's own budget (the tightest part of it that is asked) still has. `largest_fit_nano` is
    the most that would be accepted for the same question, as what the dataset counts and as a pure
    ε. `lacks_permit`: an owner's permit is all that it is short of. `reusable` is what stored
    answers offer for nothing.
    """

    plan: Plan
    description: dict[str, Any]
    cost_nano: int
    remaining_nano: int
    largest_fit_nano: int
    refusal: str | None
    largest_fit_epsilon_nano: int = 0
    lacks_permit: bool = False
    limits: tuple[Limit, ...] = ()
    currency: Currency = PURE
    reusable: Reusable = NOTHING_STORED

    @property
    def adds_nano(self) -> int:
        """What it would add to the ε (at δ) of everything before it, rounded up.

        Of several parts, to the one where it adds most.
        """
        own = [(limit.committed_nano, limit.factor) for limit in self.limits if is_own(limit)]
        return max(
            (self.currency.adds(self.cost_nano * factor, before) for before, factor in own),
            default=self.currency.together(self.cost_nano),
        )

    @property
    def price_words(self) -> str:
        """The price, and under ρ what it adds."""
        return price(self.cost_nano, self.adds_nano, self.currency)

    @property
    def remaining_after_nano(self) -> int:
        """What would remain; what remains now if the question would be refused."""
        return self.remaining_nano - (0 if self.refusal else self.cost_nano)

    @property
    def binding(self) -> Limit | None:
        """The limit that admits least."""
        return self.limits[0] if self.limits else None


def quote(
    *,
    user: User,
    dataset: Dataset,
    raw_plan: object,
    assumed_rows: int | None = None,
    allocation_id: UUID | None = None,
    version: DatasetVersion | None = None,
    grants: Grants | None = None,
) -> Quote:
    """Price a plan for this person; raises InvalidPlan. Changes nothing.

    The plan may name an "accuracy" in place of an amount: it gets the smallest that is enough.
    `assumed_rows` is the reader's own guess of how many rows match, for errors of means.
    The newest `version` and the person's `grants` are read here where the caller did not.
    """
    version = version or current_version(dataset)
    blueprint = _priced(dataset, version, raw_plan, assumed_rows)
    try:
        lines = lines_of(
            blueprint, dataset=dataset, user=user, allocation_id=allocation_id, grants=grants
        )
    except (AllocationNeeded, ChooseAllocation) as problem:
        return _quote(blueprint, version, (), assumed_rows, str(problem))
    limits, terms = tuple(limits_touched(lines)), terms_for(dataset, user)
    refusal = _refusal(blueprint, limits, dataset)
    outside = None if refusal else outside_policy(blueprint, terms)
    fits = fit(terms, limits, Question(blueprint.plan, blueprint.schema))
    priced = _quote(blueprint, version, limits, assumed_rows, refusal or outside, fits)
    return replace(priced, lacks_permit=bool(outside) and short_of_permit(blueprint, terms))


def _quote(
    blueprint: Blueprint,
    version: DatasetVersion,
    limits: tuple[Limit, ...],
    assumed_rows: int | None,
    refusal: str | None,
    fits: Fit = NOTHING,
) -> Quote:
    dataset = version.dataset
    own = [limit.remaining_nano for limit in limits if is_own(limit)]
    return Quote(
        plan=blueprint.plan,
        description=blueprint.describe(assumed_rows),
        cost_nano=blueprint.cost_nano,
        remaining_nano=min(own, default=0),
        largest_fit_nano=fits.nano,
        largest_fit_epsilon_nano=fits.epsilon_nano,
        refusal=refusal,
        limits=limits,
        currency=dataset.budget.currency,
        reusable=reusable_for(version, blueprint, assumed_rows=assumed_rows),
    )


def priced_blueprint(
    dataset: Dataset, raw_plan: object, assumed_rows: int | None = None
) -> Blueprint:
    """The plan with its amount: its own, or the smallest that its wish needs; InvalidPlan."""
    return _priced(dataset, current_version(dataset), raw_plan, assumed_rows)


def _priced(
    dataset: Dataset, version: DatasetVersion, raw_plan: object, assumed_rows: int | None
) -> Blueprint:
    if not isinstance(raw_plan, Mapping) or "accuracy" not in raw_plan:
        return blueprint_for(dataset, version, raw_plan)
    schema = schema_of(version)
    plan, wanted = parse_wanted(raw_plan, schema, dataset=dataset.slug)
    least = least_price_nano(dataset, rules_shown(dataset))
    return cheapest(plan, schema, wanted, assumed_rows=assumed_rows, least_nano=least)


def blueprint_for(dataset: Dataset, version: DatasetVersion, raw_plan: object) -> Blueprint:
    """Read the plan against the version's public metadata; raises InvalidPlan."""
    schema = schema_of(version)
    return prepare(parse_plan(raw_plan, schema, dataset=dataset.slug), schema)


def _refusal(blueprint: Blueprint, limits: tuple[Limit, ...], dataset: Dataset) -> str | None:
    if blueprint.cost_nano > dataset.per_query_limit_nano:
        most = question(dataset.per_query_limit_nano, dataset.budget.currency)
        return _("One question on this dataset may cost at most {most}.").format(most=most)
    if dataset.budget.frozen_at is not None:
        return _("This dataset is frozen until a compliance officer confirms its balance.")
    if limits[0].stopped:
        refusal = _("Nothing more is admitted of {limit}: it is frozen or has ended.")
        return refusal.format(limit=limits[0].words)
    if limits[0].fit_nano < blueprint.cost_nano:
        return limits[0].shortage
    return None
