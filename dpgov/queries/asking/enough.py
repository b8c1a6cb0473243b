"""What it would cost to ask again so that an answer which says nothing says something.

A function of the plan, the declarations and the released noisy numbers; never of data.
"""

import math
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.answer.wanted import Wanted, cheapest
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.wording.numbers import readable

# What is said to be useful: an error of this part of all that can be true.
_PART = 20
_LEVEL = Fraction(95, 100)


def enough_in_words(version: DatasetVersion, body: dict[str, Any], place: int) -> str:
    """ "For ± 5 it would cost about ε 0.8." of statistic number `place`, or nothing.

    Nothing where no amount is known to be enough: of a mean that depends on the rows, and of the
    rows the answer's own noisy count is all that is known.
    """
    statistic, plan = body["statistics"][place], body["plan"]
    least, most = statistic["range"]
    error = _round(Fraction(most - least) / _PART)
    schema = schema_of(version)
    try:
        parsed = parse_plan(plan, schema, dataset=plan["dataset"])
        wanted = Wanted(_asked(plan, statistic), error, _LEVEL)
        found = cheapest(parsed, schema, wanted, assumed_rows=noisy_rows(body, place))
    except InvalidPlan:
        return ""
    nano = _two_digits_up(found.cost_nano)
    return _("For ± {error} it would cost about {price}.").format(
        error=readable(float(error)), price=question(nano, version.dataset.currency)
    )


def noisy_rows(body: dict[str, Any], place: int) -> int | None:
    """How many rows a mean or spread was made of, as released: with noise; None if below one."""
    statistic = body["statistics"][place]
    drawn = body["draws"][statistic["draw"]] if "draw" in statistic else {"readings": []}
    if len(drawn["readings"]) < 2 or len(drawn["cells"]) != 1:
        return None
    rows = math.floor(sum(drawn["cells"][0]) * drawn["readings"][0]["lattice"])
    return rows if rows >= 1 else None


def _asked(plan: dict[str, Any], statistic: dict[str, Any]) -> int:
    """The place in the plan: a list of quantiles is one there and many in the answer."""
    same = (statistic["statistic"], statistic.get("column"), statistic.get("clip"))
    return next(
        place
        for place, asked in enumerate(plan["statistics"])
        if (asked["statistic"], asked.get("column"), asked.get("clip")) == same
    )


def _round(error: Fraction) -> Fraction:
    """To one digit, down."""
    unit = Fraction(10) ** math.floor(math.log10(error))
    return (error / unit).__floor__() * unit


def _two_digits_up(nano: int) -> int:
    unit: int = 10 ** max(0, len(str(nano)) - 2)
    return -(-nano // unit) * unit
