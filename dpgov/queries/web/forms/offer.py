"""The price of what stands in a form, as its page shows it, and what the button agrees to.

The form asks one question, or several together. Spends and stores nothing.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from dpgov.budgets.charging import Limit, one_part_each
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import as_text, parse_epsilon
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.predicates import never_holds, row_filter
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.asking.gate import closed_to
from dpgov.queries.asking.quote import Priced, Quote
from dpgov.queries.free.words import FreeOffer, errors_of, free_offers
from dpgov.queries.web.forms.price import PricedForm
from dpgov.queries.wording.dates import periods_apart
from dpgov.queries.wording.drawings import Drawing, drawings_of, sharing_in_words, together
from dpgov.queries.wording.guarantee import price
from dpgov.queries.wording.margins import (
    condition_of_errors,
    margin,
    not_counted_in_words,
    rows_that_count,
)
from dpgov.queries.wording.numbers import NOTHING, at_most
from dpgov.queries.wording.useful import warning_in_words
from dpgov.queries.wording.words import filter_in_words, in_words, statistic_in_words
from dpgov.queries.workbench.proposing import Request, request_for
from dpgov.tenants.models import User
from dpgov.web.typed import as_typed


@dataclass(frozen=True, slots=True)
class StatisticOffer:
    """One statistic's price and expected error; `error` is None where it needs a guess.

    `warning` says that the error is as wide as everything that can be true, `left_out` which rows
    it does not count, `condition` what it holds under alone. `sizes` are the errors of groups with
    so many rows, None where such a number says nothing.
    """

    label: str
    drawing: Drawing
    error: str | None
    warning: str = ""
    sizes: tuple[tuple[int, str | None], ...] = ()
    left_out: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True)
class QuestionOffer:
    """One question of several: its part of the price and the errors to expect."""

    words: str
    price: str
    statistics: list[StatisticOffer]


@dataclass(frozen=True, slots=True)
class Offer:
    """Either a quote, or the problems that stand in its way; `body` is what would be sent.

    `wanted` says how exact it was asked to be, where that set the price. `never` are the filters
    that no row can pass. `request` is what an owner could be asked for, if that would help.
    `closed` says why nothing of this dataset can be had now, not even a free answer.
    """

    problems: list[tuple[str, str]] = field(default_factory=list)
    body: dict[str, Any] | None = None
    quote: Quote | None = None
    wanted: str = ""
    never: tuple[str, ...] = ()
    dataset_id: UUID | None = None
    request: Request | None = None
    closed: str = ""

    @property
    def price(self) -> str:
        """What the button names and agrees to, as exact text in the dataset's currency."""
        return as_text(self.quote.cost_nano) if self.quote else ""

    @property
    def price_words(self) -> str:
        """The same as the button says it."""
        return self.quote.price_words if self.quote else ""

    @property
    def words(self) -> str:
        """The question as a sentence."""
        return in_words(self.quote.plan.as_json()) if self.quote else ""

    @property
    def plan_text(self) -> str:
        """The plan as indented JSON, for notebooks and the API."""
        if self.quote is None:
            return ""
        return json.dumps(self.quote.plan.as_json(), indent=2, ensure_ascii=False)

    @property
    def fit(self) -> str:
        """What would be accepted now, or "" when nothing fits: the most, or the least where the
        price is below it. As one types it.
        """
        return as_typed(as_text(self._fit_nano)) if self._fit_nano > 0 else ""

    @property
    def fit_words(self) -> str:
        """The same with its sign."""
        return amount(self._fit_nano, self.quote.currency) if self.quote else ""

    @property
    def fits_least(self) -> bool:
        """Whether that is the least."""
        return self.quote is not None and self.quote.least_nano > 0

    @property
    def _fit_nano(self) -> int:
        if self.quote is None:
            return 0
        return self.quote.least_nano or self.quote.largest_fit_nano

    @property
    def unit(self) -> str:
        """The field that such an amount belongs into: epsilon or rho."""
        return self.quote.currency.unit if self.quote else ""

    @property
    def times(self) -> int:
        """How many such questions fit now."""
        return self.quote.times_that_fit if self.quote else 0

    @property
    def limits(self) -> list[Limit]:
        """What it is charged to, the tightest first."""
        return list(one_part_each(self.quote.limits)) if self.quote else []

    @property
    def cells(self) -> int:
        """How many numbers each statistic will have."""
        return int(self.quote.description["cells"]) if self.quote else 0

    @property
    def statistics(self) -> list[StatisticOffer]:
        """What each statistic pays for its draw, and its expected error at 95%."""
        return statistics_offered(self.quote.description) if self.quote else []

    @property
    def free(self) -> list[FreeOffer]:
        """What stored answers say of it already, for nothing."""
        return free_offers(self.quote.reusable) if self.quote else []

    @property
    def with_stored(self) -> list[tuple[str, str]]:
        """The errors after putting its answer together with stored ones, where that helps."""
        return errors_of(self.quote.reusable.with_new or []) if self.quote else []

    @property
    def sharing(self) -> list[str]:
        """Which statistics share a draw."""
        return sharing_in_words(drawings_of(self.quote.description)) if self.quote else []

    @property
    def questions(self) -> list[QuestionOffer]:
        """Each question at its part of the price."""
        return [_question(one) for one in self.quote.questions] if self.quote else []

    @property
    def mark(self) -> str:
        """Stands for what would be sent: two questions of one price have two.

        So has one question of two datasets of one name, in two organisations of one person.
        """
        text = json.dumps([self.dataset_id, self.body], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()[:16]

    def is_at(self, agreed: str) -> bool:
        """Whether the person pressed a button that named the price which the form has now."""
        try:
            return self.quote is not None and parse_epsilon(agreed) == self.quote.cost_nano
        except ValueError:
            return False

    def is_of(self, read: str | None) -> bool:
        """Whether what they read beside the button was of the question that the form holds now.

        A browser that goes back fills old fields in, under the price of a new form. None is not
        from a page of ours.
        """
        return read is None or read == self.mark


def _question(one: Priced) -> QuestionOffer:
    words = in_words(one.plan.as_json())
    return QuestionOffer(words, price(one.description), statistics_offered(one.description))


def offer_for(
    form: PricedForm,
    priced_by: Callable[[dict[str, Any]], Quote],
    dataset: Dataset,
    user: User,
    schema: DatasetSchema | None = None,
) -> Offer:
    """Price the form for this person; its refusals are placed at its fields.

    With a schema its filters are held against the declared bounds.
    """
    body = form.body()
    if body is None:
        return Offer(problems=form.problems())
    try:
        priced = priced_by(body)
    except InvalidPlan as refusal:
        form.place(refusal)
        return Offer(problems=form.problems())
    # What was found for a wanted accuracy is sent with its amount, like any other plan.
    sent = priced.plan.as_json() if "accuracy" in body else body
    never = () if schema is None else _never(priced.plan, schema)
    closed = closed_to(dataset, user) if priced.not_now else None
    return Offer(
        body=sent,
        quote=priced,
        wanted=form.price.wanted,
        never=never,
        dataset_id=dataset.pk,
        request=None if priced.refusal is None else request_for(priced, dataset, user),
        closed="" if closed is None else str(closed),
    )


def _never(plan: Plan, schema: DatasetSchema) -> tuple[str, ...]:
    empty = [one for one in plan.where if never_holds(row_filter(one, schema))]
    return tuple(filter_in_words(one.as_json()) for one in empty)


def _size(one: dict[str, Any], head: dict[str, Any]) -> tuple[int, str | None]:
    """How many rows, and the error: in the number's own unit, or of so many rows how many."""
    if one["says_nothing"]:
        return one["rows"], None
    if "rank_error" in one:
        return one["rows"], rows_that_count(one["rank_error"], head["accuracy"])
    if dates := head.get("dates"):
        value = one["value"]
        return one["rows"], f"± {periods_apart(at_most(value), value, dates['step'])}"
    return one["rows"], f"± {at_most(one['value'])}"


def statistics_offered(description: dict[str, Any]) -> list[StatisticOffer]:
    """One for each statistic; a list of quantiles is one."""
    drawings, columns = drawings_of(description), description["statistics"]
    found: dict[str, StatisticOffer] = {}
    for described in columns:
        drawn = [s for s in columns if s["draw"] == described["draw"]]
        label, error = statistic_in_words(together(described, drawn)), described["accuracy"]
        within = margin(error, USUAL_STATED, described)
        found[label] = StatisticOffer(
            label,
            drawings[described["draw"]],
            None if within == NOTHING else within,
            warning_in_words(described, [error]),
            tuple(_size(one, described) for one in described.get("by_group_size", [])),
            not_counted_in_words(error, described),
            condition_of_errors(error, described),
        )
    return list(found.values())
