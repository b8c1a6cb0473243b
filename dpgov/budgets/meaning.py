"""What an amount of privacy loss means, in words: the one place that says it.

Always of an amount and its currency: the ε of an (ε, δ) statement bounds events and not each single
answer, so that e^ε would promise too much. Words over `privacy.meaning.odds`, rounded so that they
never look better than the truth. Under ρ everything here holds but for a probability of δ; only the
share of right guesses (`guesses_text`) holds without exception.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.meaning.odds import Belief, Frequency, belief_after, log_odds

_EVEN = Decimal("0.5")
_HUNDREDTH = Decimal("0.01")
_THOUSANDTH = Decimal("0.001")
_LARGEST_FACTOR = Decimal(1_000_000)
_CERTAIN = Decimal("99.99")


def factor_text(nano: int, currency: Currency) -> str:
    """What odds, or the likelihood of an answer, are multiplied by at most: "2.719", rounded up.

    Beyond a million only that it is more.
    """
    log = log_odds(nano, currency)
    if log >= _LARGEST_FACTOR.ln():
        return _("more than a million")
    places = _THOUSANDTH if log < Decimal(100).ln() else Decimal(1)
    factor = log.exp().next_plus().quantize(places, rounding=ROUND_CEILING)
    return number_format(factor, force_grouping=True)


def certainty_text(nano: int, currency: Currency) -> str:
    """What an even guess can become at most, in percent, rounded up: "73.11 %"."""
    percent = _percent(belief_after(_EVEN, nano, currency).high, ROUND_CEILING)
    if percent > _CERTAIN:
        return _("more than %(percent)s %%") % {"percent": _CERTAIN}
    return f"{percent} %"


def range_text(belief: Belief) -> str:
    """ "26.89 % to 73.11 %", rounded outwards."""
    if belief.low == belief.high:
        same = f"{(belief.before * 100).normalize():f}"
        return _("%(percent)s %%, as before") % {"percent": same}
    low, high = _percent(belief.low, ROUND_FLOOR), _percent(belief.high, ROUND_CEILING)
    return _("%(low)s %% to %(high)s %%") % {"low": low, "high": high}


def guesses_text(guesses: Frequency) -> str:
    """How many of how many guess right: "73 of 100"; or that it may be all of them."""
    if guesses.is_certain:
        return _("possibly all")
    count, of = (number_format(one, force_grouping=True) for one in (guesses.count, guesses.of))
    return _("%(count)s of %(of)s") % {"count": count, "of": of}


def _percent(share: Decimal, rounding: str) -> Decimal:
    return (share * 100).quantize(_HUNDREDTH, rounding=rounding)
