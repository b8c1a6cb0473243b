"""What several questions would cost together, before anything is spent.

A function of the plans, the public metadata and the ledger; never of the data.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.charging import AllocationNeeded, ChooseAllocation, Limit, limits_touched
from dpgov.budgets.services import Line
from dpgov.budgets.words import amount, question
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.batch import parse_batch, priced
from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.currency import Currency
from dpgov.queries.policy import outside_policy
from dpgov.queries.touched import lines_of
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class Needed:
    """A limit that the batch touches and what all its questions together take of it."""

    limit: Limit
    nano: int

    @property
    def fits(self) -> bool:
        """Whether they find room."""
        return not self.limit.stopped and self.nano <= self.limit.remaining_nano

    @property
    def shortage(self) -> str:
        """Why they do not, with the numbers that a person needs."""
        if self.limit.stopped:
            refusal = _("Nothing more is admitted of {limit}: it is frozen or has ended.")
            return refusal.format(limit=self.limit.words)
        taken = _("These questions together take {amount}.")
        return (
            f"{taken.format(amount=amount(self.nano, self.limit.currency))} {self.limit.shortage}"
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of the batch at its part of the price."""

    blueprint: Blueprint
    description: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BatchQuote:
    """The prices of all questions; `refusal` says why the batch would be refused, if it would.

    `largest_fit_nano` is the largest amount for the same batch that would be accepted.
    """

    questions: tuple[Asked, ...]
    whole_nano: int
    currency: Currency
    limits: tuple[Needed, ...]
    largest_fit_nano: int
    refusal: str | None

    @property
    def cost_nano(self) -> int:
        """What all of them cost: at most the whole amount."""
        return sum(asked.blueprint.cost_nano for asked in self.questions)


def quote_batch(
    *,
    user: User,
    dataset: Dataset,
    raw_batch: object,
    assumed_rows: int | None = None,
    allocation_id: UUID | None = None,
) -> BatchQuote:
    """Price a batch for this person; raises InvalidPlan. Changes nothing.

    `assumed_rows` is the reader's own guess of how many rows match each question.
    """
    blueprints = blueprints_of(dataset, current_version(dataset), raw_batch)
    limits: tuple[Needed, ...] = ()
    try:
        lines = lines_of_all(blueprints, dataset=dataset, user=user, allocation_id=allocation_id)
        limits = _needed([line for of_one in lines for line in of_one])
        refusal = _refusal(blueprints, limits, dataset) or next(
            filter(None, (outside_policy(one, dataset, user) for one in blueprints)), None
        )
    except (AllocationNeeded, ChooseAllocation) as problem:
        refusal = str(problem)
    return BatchQuote(
        questions=tuple(Asked(one, one.describe(assumed_rows)) for one in blueprints),
        whole_nano=sum(one.cost_nano for one in blueprints),
        currency=dataset.budget.currency,
        limits=limits,
        largest_fit_nano=_largest_fit(blueprints, limits, dataset),
        refusal=refusal,
    )


def blueprints_of(
    dataset: Dataset, version: DatasetVersion, raw_batch: object
) -> tuple[Blueprint, ...]:
    """Each question of the batch with its part of the price; raises InvalidPlan."""
    schema = schema_of(version)
    return priced(parse_batch(raw_batch, schema, dataset=dataset.slug), schema)


def lines_of_all(
    blueprints: Iterable[Blueprint], *, dataset: Dataset, user: User, allocation_id: UUID | None
) -> list[list[Line]]:
    """The lines of each question. Raises AllocationNeeded and ChooseAllocation."""
    return [
        lines_of(blueprint, dataset=dataset, user=user, allocation_id=allocation_id)
        for blueprint in blueprints
    ]


def _needed(lines: Sequence[Line]) -> tuple[Needed, ...]:
    """Every limit over these lines with what they take together, the tightest first."""
    taken: Counter[UUID] = Counter()
    for line in lines:
        taken[line.budget_id] += line.amount_nano
    once = {line.budget_id: line for line in lines}
    found = [
        Needed(limit, taken[limit.budget_id])
        for limit in limits_touched(list(once.values()))
        if limit.budget_id is not None
    ]
    return tuple(sorted(found, key=lambda needed: _room(needed.limit) / needed.nano))


def _room(limit: Limit) -> int:
    return 0 if limit.stopped else max(0, limit.remaining_nano)


def _refusal(
    blueprints: Sequence[Blueprint], limits: Sequence[Needed], dataset: Dataset
) -> str | None:
    most = dataset.per_query_limit_nano
    for place, blueprint in enumerate(blueprints, start=1):
        if blueprint.cost_nano > most:
            currency = dataset.budget.currency
            return _(
                "Question {number} would cost {price}; one question on this dataset may cost at "
                "most {most}."
            ).format(
                number=place,
                price=question(blueprint.cost_nano, currency),
                most=question(most, currency),
            )
    if dataset.budget.frozen_at is not None:
        return _("This dataset is frozen until a compliance officer confirms its balance.")
    return next((needed.shortage for needed in limits if not needed.fits), None)


def _largest_fit(
    blueprints: Sequence[Blueprint], limits: Sequence[Needed], dataset: Dataset
) -> int:
    """Every part grows with the whole, so the tightest limit tells how far; rounded down."""
    stopped = dataset.budget.frozen_at is not None or dataset.budget.closed_at is not None
    if stopped or not limits:
        return 0
    whole = sum(blueprint.cost_nano for blueprint in blueprints)
    costliest = max(blueprint.cost_nano for blueprint in blueprints)
    return min(
        whole * dataset.per_query_limit_nano // costliest,
        *(whole * _room(needed.limit) // needed.nano for needed in limits),
    )
