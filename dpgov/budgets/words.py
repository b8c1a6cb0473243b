"""Limits and amounts in words, for refusals, pages and the log: the one place that knows how.

`amount` is exact and adds up. Where ρ is counted, an ε never stands alone: `question` says what one
question has by itself, `price` what it adds to everything before it, `together` what everything
amounts to, each at δ. Words come in the language of the moment; the `…_said` are for refusals,
which are read later.
"""

from typing import Protocol
from uuid import UUID

from dpgov.budgets.models import Budget, RateLimit
from dpgov.language.said import said
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency

DATASET = said("the dataset's budget")
# Stored in `Budget.protects` for good: one of them is not the word that Neighbouring has for it.
_REMOVED, _CHANGED = "add_remove", "change"


class InTwo(str):
    """An amount and, behind it in brackets, the same in other terms: `first` and `second`."""

    __slots__ = ("first", "second")
    first: str
    second: str


def _in_two(first: str, second: str) -> InTwo:
    text = InTwo(f"{first} ({second})")
    text.first, text.second = first, second
    return text


def amount(nano: int, currency: Currency) -> str:
    """The exact amount: "ε 0.5", "ρ 0.00005"."""
    return f"{currency.symbol} {as_text(nano)}"


def question(nano: int, currency: Currency) -> str:
    """What one question costs or may cost: "ε 0.5", "ρ 0.005 (ε 0.4786 at δ 1e-6 by itself)"."""
    exact = amount(nano, currency)
    if currency.delta is None:
        return exact
    alone = _target(currency.together(nano), currency)
    return _in_two(exact, translated(said("{alone} by itself", alone=alone)))


def price(nano: int, adds_nano: int, currency: Currency) -> str:
    """What is paid and adds so much now: "ε 0.5", "ρ 0.005 (adds ε 0.0712 at δ 1e-6)"."""
    exact = amount(nano, currency)
    if currency.delta is None:
        return exact
    more = _target(adds_nano, currency)
    return translated(said("{exact} (adds {more})", exact=exact, more=more))


def pure(epsilon_nano: int, currency: Currency) -> str:
    """The ε of one question as it was typed: "ε 0.5"; "pure ε 0.5" where it does not add up."""
    epsilon = f"ε {as_text(epsilon_nano)}"
    if currency.delta is None:
        return epsilon
    return translated(said("pure {epsilon}", epsilon=epsilon))


def together(nano: int, currency: Currency) -> str:
    """What everything amounts to: "ε 0.5", "ε 1.204 at δ 1e-6 (ρ 0.03)"."""
    return _with_exact(currency.together(nano), nano, currency)


class Limited(Protocol):
    """A budget, or what may be known of one."""

    @property
    def currency(self) -> Currency:
        """What it is counted in."""

    @property
    def limit_nano(self) -> int:
        """The limit, in that currency."""

    @property
    def limit_epsilon_nano(self) -> int:
        """The limit as its owner set it."""


def limit_text(budget: Limited) -> str:
    """A budget's limit: "ε 10", "ε 3 at δ 1e-6 (ρ 0.18506984)"."""
    return _with_exact(budget.limit_epsilon_nano, budget.limit_nano, budget.currency)


def limit_said(budget: Limited) -> str:
    """The same for a refusal."""
    exact = amount(budget.limit_nano, budget.currency)
    if budget.currency.delta is None:
        return exact
    alone = _target(budget.limit_epsilon_nano, budget.currency)
    return said("{alone} ({exact})", alone=alone, exact=exact)


def target(epsilon_nano: int, currency: Currency) -> str:
    """A limit as somebody typed it, before or without the amount that it is: "ε 3 at δ 1e-6"."""
    return translated(_target(epsilon_nano, currency))


def _target(epsilon_nano: int, currency: Currency) -> str:
    epsilon = f"ε {as_text(epsilon_nano)}"
    if currency.delta is None:
        return epsilon
    return said("{epsilon} at δ {delta}", epsilon=epsilon, delta=currency.delta_text)


def _with_exact(epsilon_nano: int, nano: int, currency: Currency) -> str:
    exact = amount(nano, currency)
    if currency.delta is None:
        return exact
    return _in_two(target(epsilon_nano, currency), exact)


def noted(nano: int | None, currency: Currency, name: str = "") -> dict[str, str | None]:
    """An amount as the log has it: {"limit_epsilon": "10"}, {"limit_rho": "0.18506984"}."""
    key = f"{name}_{currency.unit}" if name else currency.unit
    return {key: None if nano is None else as_text(nano)}


def noted_limit(budget: Budget, name: str = "limit") -> dict[str, str | None]:
    """A limit as the log has it; under zCDP with the (ε, δ) that it keeps."""
    fields = noted(budget.limit_nano, budget.currency, name)
    return fields | noted_target(budget.target_nano, budget.currency, name)


def noted_target(
    target_nano: int | None, currency: Currency, name: str = "limit"
) -> dict[str, str | None]:
    """The (ε, δ) that a limit keeps, where that is not the limit itself."""
    if target_nano is None:
        return {}
    return {f"{name}_target_epsilon": as_text(target_nano), "delta": currency.delta_text}


def limit_in_words(budget: Budget, *, reader_id: UUID | None = None) -> str:
    """Whose limit it is, fit to follow “of”; a name only where the reader may know it.

    Without `reader_id` the reader is the person who is charged: an allocation is their own.
    """
    return translated(whose_said(budget, reader_id=reader_id))


def whose_said(budget: Budget, *, reader_id: UUID | None = None) -> str:
    """The same for a refusal."""
    if budget.kind == Budget.Kind.PARTITION:
        return said("the budget for “{part}”", part=budget.as_part.part)
    if budget.kind == Budget.Kind.ALLOCATION:
        holder = budget.allocation.user_id
        if holder is not None and reader_id in (None, holder):
            return said("your allocation")
        return said("the allocation of {holder}", holder=str(budget.allocation))
    if budget.kind == Budget.Kind.SHARED_BUDGET:
        return said("the budget that these people share with other datasets")
    if budget.kind == Budget.Kind.SURVEY:
        return said("the survey’s own budget")
    return DATASET


def whole_of(budget: Budget) -> Budget | None:
    """The dataset's budget of which it is one: itself, a part or an allocation; else None."""
    if budget.kind == Budget.Kind.PARTITION:
        return budget.as_part.dataset_budget
    if budget.kind == Budget.Kind.ALLOCATION:
        return budget.allocation.dataset_budget
    return budget if budget.kind == Budget.Kind.DATASET else None


def parent_said(label: str, part: str = "") -> str:
    """The budget of one that a dataset was derived from, fit to follow “of”.

    `part` is whose it is there, in words: one of its parts, or an allocation.
    """
    if part:
        return said(
            "{part} of “{name}”, which this dataset was derived from", part=part, name=label
        )
    return said("the budget of “{name}”, which this dataset was derived from", name=label)


def on_parent_said(budget: Budget) -> str:
    """The same of a budget, which is a parent's, one of its parts or an allocation there."""
    whole = whole_of(budget)
    label = budget.label if whole is None else whole.label
    return parent_said(label, "" if budget.kind == Budget.Kind.DATASET else whose_said(budget))


def promise_of(together: int, *, removed: bool) -> str:
    """What one unit of loss is about, as a budget keeps it: how many units, and what is done."""
    return f"{together}:{_REMOVED if removed else _CHANGED}"


def together_of(budget: Budget) -> int:
    """How many units a budget hides together: one until a dataset says more."""
    return int((budget.protects or "1").partition(":")[0])


def promise_said(protects: str) -> str:
    """The same in words, for a refusal."""
    number, how = protects.split(":")
    removed = how == _REMOVED
    if number == "1":
        return said("one unit, added or removed") if removed else said("one unit, changed")
    if removed:
        return said("{number} units together, added or removed", number=number)
    return said("{number} units together, changed", number=number)


def rate_in_words(words: str, period: str) -> str:
    """The rate of a limit: "what may be used a week of the dataset's budget"."""
    return translated(rate_said(words, period))


def rate_said(words: str, period: str) -> str:
    """The same for a refusal."""
    if period == RateLimit.Period.DAY:
        return said("what may be used a day of {limit}", limit=words)
    if period == RateLimit.Period.WEEK:
        return said("what may be used a week of {limit}", limit=words)
    return said("what may be used a month of {limit}", limit=words)
