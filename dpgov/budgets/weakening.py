"""What a higher limit means for people in the data, before anybody decides about it."""

from django.utils.translation import gettext

from dpgov.budgets.meaning import certainty_text, factor_text
from dpgov.budgets.models import Budget
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency


def weakening(budget: Budget, after_nano: int) -> list[str]:
    """What a higher limit, in nano-ε, means for somebody in the data."""
    currency = budget.currency
    return weakening_of(
        (as_text(budget.limit_epsilon_nano), as_text(after_nano)),
        (budget.limit_nano, currency.limit_of(after_nano)),
        currency,
    )


def weakening_of(
    limits: tuple[str, str], amounts: tuple[int, int], currency: Currency
) -> list[str]:
    """`limits` as they were typed, before and after; `amounts` the same in the currency."""
    before, after = (factor_text(nano, currency) for nano in amounts)
    words = [
        gettext(
            "For everybody in this data the guarantee weakens from ε {before} to ε {after}, for "
            "good: what was released cannot be taken back."
        ).format(before=limits[0], after=limits[1]),
        _certainty(*(certainty_text(nano, currency) for nano in amounts)),
        gettext(
            "Any answer may become {after} times as likely because of one person; under the "
            "present limit, {before} times."
        ).format(after=after, before=before),
    ]
    if currency.delta is not None:
        words.append(
            gettext(
                "All of this holds but for a probability of δ {delta}, with which the promise may "
                "fail; δ stays as it is."
            ).format(delta=currency.delta_text)
        )
    return words


def _certainty(before: str, after: str) -> str:
    pattern = gettext(
        "Suppose somebody thinks it is as likely as not that a certain person is in the data. "
        "After reading everything that may be released, they could be {after} certain; under the "
        "present limit, {before}."
    )
    if before == after:
        pattern = gettext(
            "Suppose somebody thinks it is as likely as not that a certain person is in the data. "
            "Either limit lets everything that is released make them {after} certain."
        )
    return pattern.format(before=before, after=after)
