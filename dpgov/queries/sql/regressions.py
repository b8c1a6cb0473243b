"""Regressions in SQL: REGR_SLOPE(y, x) and its kin, REGRESSION(y, x1, x2), LOGISTIC_REGRESSION.

The standard has one predictor and a function for each number that is read off the same line: one
regression is asked for all of them. With several predictors, or of a yes or no, the standard knows
none; so there the function is called as the statistic is.
"""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.sql.text import NameReader

_OF_ONE_LINE = exp.RegrSlope | exp.RegrIntercept | exp.RegrR2 | exp.RegrCount
_STANDARD = ("REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2", "REGR_COUNT")
KINDS = {kind.value.upper(): kind for kind in StatisticKind if kind.facts.takes_predictors}
OFFERED = (*_STANDARD[:2], *KINDS)


def read_regression(item: exp.Expr, names: NameReader) -> dict[str, Any] | None:
    """The plan's form of it: the outcome, then what explains it; None for everything else.

    Raises RefusedSql.
    """
    if isinstance(item, _OF_ONE_LINE):
        kind, columns = StatisticKind.REGRESSION, [item.this, item.args.get("expression")]
    elif isinstance(item, exp.Anonymous) and item.name.upper() in KINDS:
        kind, columns = KINDS[item.name.upper()], item.expressions
    else:
        return None
    if len(columns) < 2 or None in columns:
        message = _("Name the outcome, then at least one column that explains it.")
        raise names.text.refused(item, message)
    outcome, *predictors = (names.column(column) for column in columns)
    return {"statistic": kind.value, "column": outcome, "predictors": predictors}


def is_regression(statistic: dict[str, Any]) -> bool:
    """Whether its answer is several numbers, none of which a ratio could name."""
    return "predictors" in statistic
