"""What is checked: for each statistic a question and two neighbouring tables.

The tables are those that are hardest to keep apart, as far as they are known: otherwise a bound
far below the claim would say little. All of it is public and made up.
"""

from fractions import Fraction
from typing import Any

from django.utils.translation import gettext_noop as _

from dpgov.noise_check import tables
from dpgov.noise_check.case import Case, SurveyCase
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.schema import Neighbouring, PrivacyUnit
from dpgov.privacy.plan.statistics import HISTOGRAM, STATISTICS
from dpgov.privacy.plan.statistics import StatisticKind as Kind

_COLOURS = {"column": "colour", "categories": ["red", "blue"]}
_SIZES = {"column": "size", "categories": ["small", "large"]}
_LEVELS = {"column": "level", "edges": [0, 8, 15]}
_EDGES = {"column": "value", "edges": [0, 25, 50, 75, 100]}
_PEOPLE = PrivacyUnit("person", 2)
# Of the pairs of rows of one person.
_KEPT = 3
# What tells a noisy choice apart under pure ε is rare: at ε 3 and with so many answers it is seen
# best (docs/noise-check.md has the numbers). Under ρ fewer are enough, as a choice takes long.
_CHOICE, _MORE, _FEWER = Fraction(3), Fraction(5), Fraction(1, 3)
_WEAKER = Fraction(3, 2)
# Where many draws share the price.
_COARSE = Fraction(3)


def _of(kind: str, column: str = "value", **more: Any) -> dict[str, Any]:
    return {"statistic": kind, "column": column} | more


_REPLACED = Neighbouring.CHANGE_ONE
_LINEAR = _of("regression", predictors=["level"])
_LOGISTIC = _of("logistic_regression", "colour", predictors=["size"])
_ALL = (
    Case("count", Kind.COUNT.facts.label, {"statistic": "count"}, tables.one_more_row),
    Case(
        "count_distinct",
        Kind.COUNT_DISTINCT.facts.label,
        {"statistic": "count_distinct"},
        tables.one_more_person,
        unit=_PEOPLE,
    ),
    Case(
        "distinct_values",
        Kind.DISTINCT_VALUES.facts.label,
        _of("distinct_values"),
        tables.one_more_row,
    ),
    Case("sum", Kind.SUM.facts.label, _of("sum"), tables.one_more_person, unit=_PEOPLE),
    Case(
        "computed",
        _("Sum of a product of two columns"),
        _of("sum", "value * level"),
        tables.one_more_row,
        computed=({"formula": "product", "of": ["value", "level"]},),
    ),
    Case("mean", Kind.MEAN.facts.label, _of("mean"), tables.one_more_row),
    Case(
        "mean_of_public_number",
        _("Mean of a public number of rows"),
        _of("mean"),
        tables.one_row_raised,
        neighbouring=_REPLACED,
        public_rows=len(tables.ROWS),
    ),
    Case("variance", Kind.VARIANCE.facts.label, _of("variance"), tables.one_more_row),
    Case(
        "median",
        Kind.MEDIAN.facts.label,
        _of("median"),
        tables.around_the_median,
        weakened=_WEAKER,
        share=_FEWER,
        claim=_CHOICE,
        pure_share=_MORE,
    ),
    Case(
        "quantile",
        _("One quantile"),
        _of("quantiles", quantiles=[0.9]),
        tables.around_nine_tenths,
        weakened=_WEAKER,
        share=_FEWER,
        claim=_CHOICE,
        pure_share=_MORE,
    ),
    Case(
        "quantiles",
        _("Several quantiles"),
        _of("quantiles", "level", quantiles=[0.25, 0.5, 0.75]),
        tables.around_the_median_level,
        # Two choices follow each other and share the price: both would have to be rare at once.
        weakened=Fraction(6),
        share=Fraction(1, 5),
        claim=Fraction(4),
        pure_share=Fraction(1, 2),
    ),
    Case(
        "min",
        Kind.MIN.facts.label,
        _of("min"),
        tables.around_the_least,
        weakened=_WEAKER,
        share=_FEWER,
        claim=_CHOICE,
        pure_share=_MORE,
    ),
    Case(
        "max",
        Kind.MAX.facts.label,
        _of("max"),
        tables.around_the_largest,
        weakened=_WEAKER,
        share=_FEWER,
        claim=_CHOICE,
        pure_share=_MORE,
    ),
    Case(
        "histogram",
        STATISTICS[HISTOGRAM].label,
        {"statistic": "count"},
        tables.one_row_recoloured,
        group_by=(_COLOURS,),
        neighbouring=_REPLACED,
    ),
    Case(
        "cdf",
        Kind.CDF.facts.label,
        {"statistic": "cdf"},
        tables.one_more_row,
        group_by=(_EDGES,),
    ),
    Case(
        "joint_cdf",
        Kind.JOINT_CDF.facts.label,
        {"statistic": "joint_cdf"},
        tables.one_more_row,
        group_by=(_EDGES, _LEVELS),
        # The row is in several draws, of which each tells a part.
        weakened=_WEAKER,
    ),
    Case(
        "regression",
        Kind.REGRESSION.facts.label,
        _LINEAR,
        tables.one_more_row,
        # Six noises would have to be large at once for the largest ratio, and each answer is a line
        # with its errors, which takes long: coarser mistakes are seen.
        weakened=_COARSE,
        share=Fraction(1, 2),
    ),
    Case(
        "regression_per_person",
        _("Regression, per person"),
        _LINEAR,
        tables.one_more_person,
        unit=_PEOPLE,
        weakened=_COARSE,
        share=Fraction(1, 4),
    ),
    Case(
        "contingency",
        _("Contingency table"),
        {"statistic": "count"},
        tables.one_more_person,
        group_by=(_COLOURS, _SIZES),
        unit=_PEOPLE,
    ),
    Case(
        "adaptive",
        _("Adaptive rounds"),
        {"statistic": "count"},
        tables.one_more_like_them,
        group_by=(_COLOURS, _SIZES),
        adaptive={"rounds": 2, "tables": [["colour"], ["size"]]},
        # Two draws share the price, and two choices: all would have to be telling at once.
        weakened=Fraction(2),
        share=Fraction(1, 5),
    ),
    Case(
        "table_set",
        _("Set of tables"),
        {"statistic": "count"},
        tables.one_more_row,
        asked_set={
            "columns": [_COLOURS, _SIZES, _LEVELS],
            "tables": 1,
            "method": "separate_tables",
        },
        # Each of three tables has a part of the price: all would have to be telling at once.
        weakened=_WEAKER,
    ),
    Case(
        "derived",
        _("Count of a derived dataset"),
        {"statistic": "count"},
        tables.one_more_person,
        kept=_KEPT,
        unit=PrivacyUnit("person", _KEPT),
    ),
    Case(
        "joint",
        _("Joint answer"),
        _of("sum"),
        tables.one_more_row,
        parties=(4, 2),
        modes=(Mode.ZCDP,),
    ),
    Case(
        "logistic_regression",
        Kind.LOGISTIC_REGRESSION.facts.label,
        _LOGISTIC,
        tables.one_more_row,
        # Six draws share the price, of some numbers each: as for the regression.
        weakened=_COARSE,
        share=Fraction(3),
        claim=Fraction(4),
    ),
    Case(
        "logistic_regression_per_person",
        _("Logistic regression, per person"),
        _LOGISTIC,
        tables.one_more_person,
        unit=_PEOPLE,
        weakened=_COARSE,
        claim=Fraction(4),
    ),
)
CASES = {case.name: case for case in _ALL}


_SURVEYS = (
    SurveyCase("survey", _("Survey, by randomised response"), 5, Fraction(2)),
    SurveyCase(
        "survey_bits", _("Survey, by unary encoding"), 12, Fraction(1, 2), Fraction(2), _FEWER
    ),
)
SURVEYS = {case.name: case for case in _SURVEYS}
TITLES = {case.name: case.title for case in (*_ALL, *_SURVEYS)}
