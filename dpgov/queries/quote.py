"""What a question would cost and how exact its answer would be, before anything is spent.

A function of the plan, the public metadata and the ledger; never of the data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.charging import AllocationNeeded, ChooseAllocation, Grants, Limit, limits_touched
from dpgov.budgets.models import Budget
from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import least_price_nano
from dpgov.privacy.blueprint import Blueprint, prepare
from dpgov.privacy.currency import PURE, Currency
from dpgov.privacy.parsing import parse_plan
from dpgov.privacy.plan import Plan
from dpgov.privacy.wanted import cheapest, parse_wanted
from dpgov.queries.policy import outside_policy
from dpgov.queries.reuse import NOTHING_STORED, Reusable, reusable_for
from dpgov.queries.touched import lines_of
from dpgov.tenants.models import User

_DATASET_KINDS = (Budget.Kind.DATASET, Budget.Kind.PARTITION)


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a plan, in `currency`. `refusal` says why it would be refused, if it would.

    `limits` are all limits that it touches, the tightest first; `remaining_nano` is what the
    dataset's own budget (the tightest part of it that is asked) still has. `reusable` is what
    stored answers offer for nothing.
    """

    plan: Plan
    description: dict[str, Any]
    cost_nano: int
    remaining_nano: int
    largest_fit_nano: int
    refusal: str | None
    limits: tuple[Limit, ...] = ()
    currency: Currency = PURE
    reusable: Reusable = NOTHING_STORED

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
    limits = tuple(limits_touched(lines))
    refusal = _refusal(blueprint, limits, dataset) or outside_policy(blueprint, dataset, user)
    return _quote(blueprint, version, limits, assumed_rows, refusal)


def _quote(
    blueprint: Blueprint,
    version: DatasetVersion,
    limits: tuple[Limit, ...],
    assumed_rows: int | None,
    refusal: str | None,
) -> Quote:
    dataset = version.dataset
    own = [
        limit.remaining_nano
        for limit in limits
        if limit.kind in _DATASET_KINDS and not limit.period
    ]
    return Quote(
        plan=blueprint.plan,
        description=blueprint.describe(assumed_rows),
        cost_nano=blueprint.cost_nano,
        remaining_nano=min(own, default=0),
        largest_fit_nano=_largest_fit(dataset, limits),
        refusal=refusal,
        limits=limits,
        currency=dataset.budget.currency,
        reusable=reusable_for(version, blueprint, assumed_rows=assumed_rows),
    )


def _largest_fit(dataset: Dataset, limits: tuple[Limit, ...]) -> int:
    stopped = dataset.budget.frozen_at is not None or dataset.budget.closed_at is not None
    if stopped or not limits:
        return 0
    fits = min(dataset.per_query_limit_nano, limits[0].fit_nano)
    return fits if fits >= least_price_nano(dataset) else 0


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
    least = least_price_nano(dataset)
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
