"""Whether a question keeps the dataset's policy: looked at when it is priced and when it is sent.

A function of the plan, declarations and the clock's day; never of data. Counts alone have a least
error, because only their error is counted in rows.
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import Rules, least_price_nano, permitted_nano, rules_of
from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.budget import as_text
from dpgov.privacy.plan import StatisticKind
from dpgov.queries.clock import database_now
from dpgov.queries.kinds import STATISTIC_NAMES
from dpgov.tenants.models import User

_COUNTS = (StatisticKind.COUNT, StatisticKind.COUNT_DISTINCT, StatisticKind.CDF)
_CONFIDENCE = 0.95


def outside_policy(blueprint: Blueprint, dataset: Dataset, user: User) -> str | None:
    """Why the policy refuses it, and what would fit; None when it does not.

    Here is the least price of a question, too, for every way in which one is asked or priced.
    The most that one question may cost is not looked at here.
    """
    rules = rules_of(dataset)
    return (
        _of_least_price(blueprint, dataset, least_price_nano(dataset, rules))
        or _of_statistics(blueprint, rules)
        or _of_errors(blueprint, rules)
        or _of_price(blueprint, rules, dataset, user)
    )


def _of_least_price(blueprint: Blueprint, dataset: Dataset, least_nano: int) -> str | None:
    if blueprint.cost_nano >= least_nano:
        return None
    pattern = _("Each question on this dataset costs at least {least}; this one costs {price}.")
    least, price = (_exactly(nano, dataset) for nano in (least_nano, blueprint.cost_nano))
    return pattern.format(least=least, price=price)


def _exactly(nano: int, dataset: Dataset) -> str:
    """As it is typed: a rounded amount could be the very one that is refused."""
    currency = dataset.budget.currency
    return f"{currency.symbol} {as_text(nano)}"


def _of_statistics(blueprint: Blueprint, rules: Rules) -> str | None:
    if not rules.statistics:
        return None
    refused = sorted({s.kind.value for s in blueprint.plan.statistics} - set(rules.statistics))
    if not refused:
        return None
    pattern = _("The owner does not allow this here: {refused}. You may ask for: {allowed}.")
    return pattern.format(refused=_named(refused), allowed=_named(rules.statistics))


def _named(statistics: Iterable[str]) -> str:
    return ", ".join(str(STATISTIC_NAMES.get(name, name)) for name in statistics)


def _of_errors(blueprint: Blueprint, rules: Rules) -> str | None:
    if rules.least_error is None:
        return None
    for _draw, column, statements in blueprint.expected(None):
        if column.statistic.kind in _COUNTS:
            errors = [s["value"] for s in statements if s["confidence_level"] == _CONFIDENCE]
            if any(error is not None and error < rules.least_error for error in errors):
                return _(
                    "The owner wants counts to be off by {least} at least (with {level} "
                    "confidence); this one would be off by {error}. Lower its price."
                ).format(least=f"{rules.least_error:,}", level="95 %", error=f"{min(errors):,}")
    return None


def _of_price(blueprint: Blueprint, rules: Rules, dataset: Dataset, user: User) -> str | None:
    most = rules.approval_above_nano
    if most is None or blueprint.cost_nano <= most:
        return None
    if blueprint.cost_nano <= permitted_nano(dataset, user, database_now().date()):
        return None
    return _(
        "Questions above {price} need the owner's permit. Ask the owner of the dataset for one, or "
        "lower the price."
    ).format(price=question(most, dataset.budget.currency))
