"""What several questions would cost together, before anything is spent.

A function of the plans, the public metadata and the ledger; never of the data.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.charging import (
    AllocationNeeded,
    ChooseAllocation,
    Limit,
    is_own,
    limits_touched,
)
from dpgov.budgets.services import Line
from dpgov.budgets.words import amount, price, question
from dpgov.datasets.fitting import Question, Terms, largest
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.budget import MAX_NANO
from dpgov.privacy.accounting.currency import Currency
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.batch import Batch, parse_batch, parts_for, priced
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.asking.policy import outside_policy, terms_for
from dpgov.queries.asking.touched import lines_of
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
    def largest_fit_epsilon_nano(self) -> int:
        """The same where all are asked for one pure ε."""
        return self.currency.largest_question(self.largest_fit_nano)

    @property
    def cost_nano(self) -> int:
        """What all of them cost: at most the whole amount."""
        return sum(asked.blueprint.cost_nano for asked in self.questions)

    @property
    def adds_nano(self) -> int:
        """What they would add to the ε (at δ) of everything before them, rounded up."""
        own = [needed for needed in self.limits if is_own(needed.limit)]
        return max(
            (self.currency.adds(one.nano, one.limit.committed_nano) for one in own),
            default=self.currency.together(self.cost_nano),
        )

    @property
    def price_words(self) -> str:
        """The whole price, and under ρ what it adds."""
        return price(self.cost_nano, self.adds_nano, self.currency)


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
    schema, terms = schema_of(current_version(dataset)), terms_for(dataset, user)
    batch = parse_batch(raw_batch, schema, dataset=dataset.slug)
    blueprints = priced(batch, schema)
    limits: tuple[Needed, ...] = ()
    fits = 0
    try:
        lines = lines_of_all(blueprints, dataset=dataset, user=user, allocation_id=allocation_id)
        limits = _needed([line for of_one in lines for line in of_one])
        fits = _largest_fit(batch, schema, lines, limits, terms)
        refusal = _refusal(blueprints, limits, dataset) or next(
            filter(None, (outside_policy(one, terms) for one in blueprints)), None
        )
    except (AllocationNeeded, ChooseAllocation) as problem:
        refusal = str(problem)
    return BatchQuote(
        questions=tuple(Asked(one, one.describe(assumed_rows)) for one in blueprints),
        whole_nano=sum(one.cost_nano for one in blueprints),
        currency=dataset.budget.currency,
        limits=limits,
        largest_fit_nano=fits,
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
    batch: Batch,
    schema: DatasetSchema,
    lines: Sequence[Sequence[Line]],
    limits: Sequence[Needed],
    terms: Terms,
) -> int:
    """The largest whole amount whose parts fit under every limit and keep the policy."""
    if terms.stopped:
        return 0
    parts = parts_for(batch, schema)
    most = [largest(terms, terms.most_nano, Question(plan, schema))[0] for plan in batch.plans]
    counted = _counted(lines)

    def fits(whole: int) -> bool:
        found = parts(whole)
        return all(part <= each for part, each in zip(found, most, strict=True)) and all(
            sum(found[place] * factor for place, factor in counted[budget].items()) <= room
            for budget, room in rooms
        )

    rooms = [(n.limit.budget_id, _room(n.limit)) for n in limits if n.limit.budget_id in counted]
    low, high = 0, MAX_NANO + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low if _large_enough(batch, schema, low, terms) else 0


def _counted(lines: Sequence[Sequence[Line]]) -> dict[UUID | None, Counter[int]]:
    """How many times each question's price counts on each budget."""
    counted: dict[UUID | None, Counter[int]] = defaultdict(Counter)
    for place, of_one in enumerate(lines):
        for line in of_one:
            counted[line.budget_id][place] += line.factor
    return counted


def _large_enough(batch: Batch, schema: DatasetSchema, whole: int, terms: Terms) -> bool:
    """Whether each part leaves noise to draw, and is the least price at least."""
    try:
        at = replace(batch, whole=Loss(schema.mode, whole))
        return whole > 0 and all(one.cost_nano >= terms.least_nano for one in priced(at, schema))
    except InvalidPlan:
        return False
