"""The price of what stands in the ask form, as the page shows it. Spends and stores nothing."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from dpgov.budgets.charging import Grants, Limit, one_part_each
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.privacy.accounting.budget import as_text, parse_epsilon
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.quote import Quote, quote
from dpgov.queries.free.words import FreeOffer, errors_of, free_offers
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.wording.drawings import Drawing, drawings_of, sharing_in_words, together
from dpgov.queries.wording.numbers import (
    NOTHING,
    margin,
    readable,
    rows_in_words,
    warning_in_words,
)
from dpgov.queries.wording.words import in_words, statistic_in_words
from dpgov.tenants.models import User

# What to ask for where a limit of this kind is too tight.
_REQUESTED = {"allocation": "allocation", "dataset": "limit", "partition": "limit"}


@dataclass(frozen=True, slots=True)
class StatisticOffer:
    """One statistic's price and expected error; `error` is None where it needs a guess.

    `warning` says that the error is as wide as everything that can be true. `sizes` are the errors
    of groups with so many rows, None where such a number says nothing.
    """

    label: str
    drawing: Drawing
    error: str | None
    warning: str = ""
    sizes: tuple[tuple[int, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """Either a quote, or the problems that stand in its way; `raw_plan` is what would be sent.

    `wish` says how exact it was asked to be, where that set the price.
    """

    problems: list[tuple[str, str]] = field(default_factory=list)
    raw_plan: dict[str, Any] | None = None
    quote: Quote | None = None
    wish: str = ""

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
        """The largest amount that would be accepted now, or "" when nothing fits."""
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
    def request(self) -> str:
        """The end of a link that asks an owner for what this question is short of, or nothing.

        Only an allocation, the dataset's own limit and a permit can be asked for.
        """
        if self.quote is None or self.quote.refusal is None:
            return ""
        if self.quote.lacks_permit:
            return _request("permit", self.quote.currency.question(self.quote.cost_nano))
        short = self.quote.binding
        if short is None:
            return _request("allocation", self.quote.currency.together(self.quote.cost_nano))
        missing = self.quote.cost_nano * short.factor - max(0, short.remaining_nano)
        if short.kind not in _REQUESTED or short.period or short.stopped or missing <= 0:
            return ""
        whole = self.quote.currency.together(short.limit_nano + missing)
        return _request(_REQUESTED[short.kind], whole)

    @property
    def limits(self) -> list[Limit]:
        """What it counts against, the tightest first."""
        return list(one_part_each(self.quote.limits)) if self.quote else []

    @property
    def cells(self) -> int:
        """How many numbers each statistic will have."""
        return int(self.quote.description["cells"]) if self.quote else 0

    @property
    def statistics(self) -> list[StatisticOffer]:
        """What each statistic pays for its draw, and its expected error at 95 %."""
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


def _request(about: str, epsilon_nano: int) -> str:
    return "?" + urlencode({"about": about, "epsilon": as_text(epsilon_nano)})


def offer_for(
    form: AskForm,
    dataset: Dataset,
    user: User,
    *,
    version: DatasetVersion | None = None,
    grants: Grants | None = None,
) -> Offer:
    """Price the form for this person; its refusals are placed at its fields."""
    raw_plan = form.raw_plan()
    if raw_plan is None:
        return Offer(problems=form.problems())
    try:
        priced = quote(
            user=user,
            dataset=dataset,
            raw_plan=raw_plan,
            assumed_rows=form.assumed_rows,
            allocation_id=form.allocation_id,
            version=version,
            grants=grants,
        )
    except InvalidPlan as refusal:
        form.place(refusal)
        return Offer(problems=form.problems())
    # What was found for a wanted accuracy is sent with its amount, like any other plan.
    sent = priced.plan.as_json() if "accuracy" in raw_plan else raw_plan
    return Offer(raw_plan=sent, quote=priced, wish=form.price.wish)


def same_price(offer: Offer, agreed: str) -> bool:
    """Whether the person pressed a button that named the price which this form has now."""
    try:
        return offer.quote is not None and parse_epsilon(agreed) == offer.quote.cost_nano
    except ValueError:
        return False


def _size(one: dict[str, Any]) -> tuple[int, str | None]:
    """How many rows, and the error: in the number's own unit, or of so many rows how many."""
    if one["says_nothing"]:
        return one["rows"], None
    if "rank_error" in one:
        return one["rows"], rows_in_words(one["rank_error"])
    return one["rows"], f"± {readable(one['value'])}"


def statistics_offered(description: dict[str, Any]) -> list[StatisticOffer]:
    """One for each statistic; a list of quantiles is one."""
    drawings, columns = drawings_of(description), description["statistics"]
    found: dict[str, StatisticOffer] = {}
    for described in columns:
        drawn = [s for s in columns if s["draw"] == described["draw"]]
        label, error = statistic_in_words(together(described, drawn)), described["accuracy"]
        within = margin(error, 0.95)
        found[label] = StatisticOffer(
            label,
            drawings[described["draw"]],
            None if within == NOTHING else within,
            warning_in_words(described, [error]),
            tuple(map(_size, described.get("by_group_size", []))),
        )
    return list(found.values())
