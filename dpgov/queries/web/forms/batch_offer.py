"""The price of a batch as its page shows it. Spends and stores nothing."""

from dataclasses import dataclass, field
from typing import Any

from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.budget import as_text, parse_epsilon
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.quote import Priced, Quote, quote_batch
from dpgov.queries.web.forms.batch import BatchForm
from dpgov.queries.web.forms.offer import StatisticOffer, statistics_offered
from dpgov.queries.wording.numbers import price
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class QuestionOffer:
    """One question of the batch: its price and the errors to expect."""

    words: str
    price: str
    statistics: list[StatisticOffer]


@dataclass(frozen=True, slots=True)
class BatchOffer:
    """Either a quote, or the problems that stand in its way; `raw_batch` is what would be sent."""

    problems: list[tuple[str, str]] = field(default_factory=list)
    raw_batch: dict[str, Any] | None = None
    quote: Quote | None = None

    @property
    def price(self) -> str:
        """What the button names and agrees to, as exact text in the dataset's currency."""
        return as_text(self.quote.cost_nano) if self.quote else ""

    @property
    def price_words(self) -> str:
        """The same as the button says it."""
        return self.quote.price_words if self.quote else ""

    @property
    def fit(self) -> str:
        """The largest amount for all that would be accepted now, or "" when nothing fits."""
        fit = self.quote.largest_fit_nano if self.quote else 0
        return as_text(fit) if fit > 0 else ""

    @property
    def fit_words(self) -> str:
        """The same with its sign."""
        return amount(self.quote.largest_fit_nano, self.quote.currency) if self.quote else ""

    @property
    def unit(self) -> str:
        """The field that such an amount belongs into: epsilon or rho."""
        return self.quote.currency.unit if self.quote else ""

    @property
    def questions(self) -> list[QuestionOffer]:
        """Each question at its part of the price."""
        return [_question(asked) for asked in self.quote.questions] if self.quote else []


def _question(asked: Priced) -> QuestionOffer:
    return QuestionOffer(
        words=in_words(asked.blueprint.plan.as_json()),
        price=price(asked.description),
        statistics=statistics_offered(asked.description),
    )


def batch_offer_for(form: BatchForm, dataset: Dataset, user: User) -> BatchOffer:
    """Price the form for this person; its refusals are placed at its fields."""
    raw_batch = form.raw_batch()
    if raw_batch is None:
        return BatchOffer(problems=form.problems())
    try:
        priced = quote_batch(
            user=user,
            dataset=dataset,
            raw_batch=raw_batch,
            assumed_rows=form.assumed_rows,
            allocation_id=form.allocation_id,
        )
    except InvalidPlan as refusal:
        form.place(refusal)
        return BatchOffer(problems=form.problems())
    return BatchOffer(raw_batch=raw_batch, quote=priced)


def same_batch_price(offer: BatchOffer, agreed: str) -> bool:
    """Whether the person pressed a button that named the price which this form has now."""
    try:
        return offer.quote is not None and parse_epsilon(agreed) == offer.quote.cost_nano
    except ValueError:
        return False
