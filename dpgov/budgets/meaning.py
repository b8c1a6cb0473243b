"""What an amount of privacy loss means, in words: the one place that says it.

Always of an amount and its currency: the ε of an (ε, δ) statement bounds events and not each single
answer, so that e^ε would promise too much. Words over `privacy.meaning.odds`, rounded so that they
never look better than the truth. Under ρ everything here holds but for a probability of δ; only the
share of right guesses (`guesses_text`) holds without exception. `whom` says of whom it holds: of a
row where the unit is the row, for somebody with several rows has less. `weakening` is what a higher
limit means for people in the data, before anybody decides about it.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from dpgov.budgets.models import Budget
from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.meaning.odds import Belief, Frequency, belief_after, log_odds

_EVEN = Decimal("0.5")
_HUNDREDTH = Decimal("0.01")
# Of odds above these: to how many digits after the point they are said. Never three, which many
# readers take for thousands.
_DIGITS = ((Decimal(100), 0), (Decimal(10), 1), (Decimal("1.1"), 2), (Decimal(0), 4))
_LARGEST_FACTOR = Decimal(1_000_000)
# Above it an answer alone is said to protect hardly anybody.
_HARDLY_ANY_FACTOR = Decimal(1_000)
# In percent: above it a reader hears no number.
_CERTAIN = Decimal("99.99")


def whom(size: int = 1, *, of_rows: bool) -> str:
    """Who has the promise together: "one person", "any 4 people together"; or so many rows."""
    if size == 1:
        return _("one row") if of_rows else _("one person")
    words = _("any %(size)s rows together") if of_rows else _("any %(size)s people together")
    return words % {"size": number_format(size, force_grouping=True)}


def factor_text(nano: int, currency: Currency) -> str:
    """What odds, or the likelihood of an answer, are multiplied by at most: "2.72", rounded up.

    Beyond a million only that it is more.
    """
    return _factor_of(log_odds(nano, currency)) if nano else "1"


def hardly_protects(nano: int, currency: Currency) -> bool:
    """Whether the factor is so large that a number alone would not be understood."""
    return log_odds(nano, currency) > _HARDLY_ANY_FACTOR.ln()


def _factor_of(log: Decimal) -> str:
    if log >= _LARGEST_FACTOR.ln():
        return _("more than a million")
    factor = log.exp().next_plus()
    digits = next(digits for least, digits in _DIGITS if factor >= least)
    rounded = factor.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING)
    return number_format(rounded, force_grouping=True)


def certainty_text(nano: int, currency: Currency) -> str:
    """What an even guess can become at most, in percent, rounded up: "73.11%"."""
    found = certainty(nano, currency)
    if found > _CERTAIN:
        return _("more than %(percent)s%%") % {"percent": _CERTAIN}
    return percent(found)


def certainty(nano: int, currency: Currency) -> Decimal:
    """The same as a number, for figures."""
    return ends(belief_after(_EVEN, nano, currency))[1]


def sure_text(nano: int, currency: Currency) -> str:
    """What who was 50% sure may become: "at most 73.11% sure", or "more than 99.99% sure"."""
    words = certainty_text(nano, currency)
    if certainty(nano, currency) > _CERTAIN:
        return _("{share} sure").format(share=words)
    return _("at most {share} sure").format(share=words)


def ends(belief: Belief) -> tuple[Decimal, Decimal]:
    """From where to where in percent, rounded outwards to the digits that pages show."""
    return _percent(belief.low, ROUND_FLOOR), _percent(belief.high, ROUND_CEILING)


def range_text(belief: Belief) -> str:
    """ "26.89% to 73.11%", rounded outwards."""
    if belief.low == belief.high:
        same = f"{(belief.before * 100).normalize():f}"
        return _("%(percent)s%%, as before") % {"percent": same}
    low, high = ends(belief)
    return _("%(low)s%% to %(high)s%%") % {"low": low, "high": high}


def guesses_text(guesses: Frequency) -> str:
    """How many of how many guess right: "73 of 100"; or that it may be all of them."""
    if guesses.is_certain:
        return _("possibly all")
    count, of = (number_format(one, force_grouping=True) for one in (guesses.count, guesses.of))
    return _("%(count)s of %(of)s") % {"count": count, "of": of}


def _percent(share: Decimal, rounding: str) -> Decimal:
    return (share * 100).quantize(_HUNDREDTH, rounding=rounding)


@dataclass(frozen=True, slots=True)
class Protected:
    """What all the data of a budget promises about somebody: single rows alone (`is_of_rows`), or
    people; that nobody learns whether they are there (`presence`), or what their rows say.

    `by_presence`: some of it promises that by their presence, two steps from other values.
    """

    is_of_rows: bool = False
    presence: bool = True
    by_presence: bool = True


def weakening(budget: Budget, after_nano: int, protected: Protected) -> list[str]:
    """What a higher limit, in nano-ε, means for somebody in the data; see `weakening_of`."""
    currency = budget.currency
    return weakening_of(
        (as_text(budget.limit_epsilon_nano), as_text(after_nano)),
        (budget.limit_nano, currency.limit_of(after_nano)),
        currency,
        protected,
    )


def weakening_of(
    limits: tuple[str, str],
    amounts: tuple[int, int],
    currency: Currency,
    protected: Protected,
) -> list[str]:
    """`limits` as they were typed, before and after; `amounts` the same in the currency."""
    logs = [log_odds(nano, currency) for nano in amounts]
    before, after, higher = map(_factor_of, (*logs, logs[1] - logs[0]))
    words = [
        gettext(
            "For everybody in this data the guarantee weakens from ε {before} to ε {after}, for "
            "good: what was released cannot be taken back."
        ).format(before=limits[0], after=limits[1]),
        _certainty(*(certainty_text(nano, currency) for nano in amounts), of=protected),
    ]
    if protected.by_presence:
        words.append(_other_values(protected))
    words.append(_likelihood(before, after, higher, is_of_rows=protected.is_of_rows))
    if currency.delta is not None:
        words.append(
            gettext(
                "All of this holds but for a probability of δ {delta}, which stays as it is."
            ).format(delta=currency.delta_text)
        )
    return words


def _certainty(before: str, after: str, *, of: Protected) -> str:
    guess = _guess(of)
    pattern = gettext(
        "{guess} After reading everything that may be released, they could be {after} certain; "
        "under the present limit, {before}."
    )
    if before == after:
        pattern = gettext(
            "{guess} Either limit lets everything that is released make them {after} certain."
        )
    return pattern.format(guess=guess, before=before, after=after)


def _guess(protected: Protected) -> str:
    certain = gettext("a certain row") if protected.is_of_rows else gettext("a certain person")
    if protected.presence:
        return gettext(
            "Suppose someone thinks it is as likely as not that {whom} is in the data."
        ).format(whom=certain)
    return gettext(
        "Suppose someone thinks it is as likely as not that {whom} has these values and not those."
    ).format(whom=certain)


def _other_values(protected: Protected) -> str:
    """Where units come and go, one with other values is one that goes and one that comes."""
    if protected.is_of_rows:
        return gettext("A belief about what a row says may move as at twice the ε.")
    return gettext("A belief about what a person's rows say may move as at twice the ε.")


def _likelihood(before: str, after: str, higher: str, *, is_of_rows: bool) -> str:
    """`higher` is how often the one is in the other, where both are beyond what is told apart."""
    pattern = gettext(
        "Any answer may become {after} times as likely because of {whom}; under the present limit, "
        "{before} times."
    )
    if before == after:
        pattern = gettext(
            "Under either limit any answer may become {after} times as likely because of {whom}, "
            "and under the higher one up to {higher} times what it may under the present one."
        )
    return pattern.format(whom=whom(of_rows=is_of_rows), before=before, after=after, higher=higher)
