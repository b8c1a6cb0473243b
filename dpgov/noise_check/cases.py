"""What is checked: for each statistic a question and two neighbouring tables.

The tables are those that are hardest to keep apart, as far as they are known: otherwise a bound
far below the claim would say little. All of it is public and made up.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext_noop as _

from dpgov.noise_check import tables
from dpgov.noise_check.tables import Pair
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)
from dpgov.privacy.plan.statistics import HISTOGRAM, STATISTICS
from dpgov.privacy.plan.statistics import StatisticKind as Kind

DATASET = "noise-check"
CLAIM_RHO = Fraction(1, 2)
_ROWS = 1_000
_COLUMNS = (
    ColumnSpec("value", NumericDomain(Decimal(0), Decimal(100), Decimal(1)), MissingRule.IMPUTE, 0),
    ColumnSpec("level", NumericDomain(Decimal(0), Decimal(15), Decimal(1))),
    ColumnSpec("colour", CategoryDomain(("red", "blue"))),
    ColumnSpec("size", CategoryDomain(("small", "large"))),
)
_COLOURS = {"column": "colour", "categories": ["red", "blue"]}
_SIZES = {"column": "size", "categories": ["small", "large"]}
_EDGES = {"column": "value", "edges": [0, 25, 50, 75, 100]}
_PEOPLE = PrivacyUnit("person", 2)
# What tells a noisy choice apart under pure ε is rare: at ε 3 and with so many answers it is seen
# best (docs/noise-check.md has the numbers). Under ρ fewer are enough, as a choice takes long.
_CHOICE, _MORE, _FEWER = Fraction(3), Fraction(5), Fraction(1, 3)
_WEAKER = Fraction(3, 2)


@dataclass(frozen=True, slots=True)
class Case:
    """One statistic.

    `pair` makes its two tables, of the mode and of the public number of rows beyond an extreme.
    `weakened` is the factor by which the control's noise is too small; `share` the part of the
    trials that it gets. Under pure ε a case may have a `claim` and a share, `pure_share`, of its
    own.
    """

    name: str
    title: str
    statistic: dict[str, Any]
    pair: Callable[[Mode, int], Pair]
    group_by: tuple[dict[str, Any], ...] = ()
    adaptive: dict[str, Any] | None = None
    computed: tuple[dict[str, Any], ...] = ()
    unit: PrivacyUnit = field(default_factory=PrivacyUnit)
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE
    public_rows: int | None = None
    weakened: Fraction = Fraction(13, 10)
    share: Fraction = Fraction(1)
    claim: Fraction = Fraction(2)
    pure_share: Fraction | None = None

    def claimed(self, mode: Mode) -> Fraction:
        """The price of its question, which is what is claimed: ε, or ρ."""
        return self.claim if mode is Mode.PURE else CLAIM_RHO

    def trials_of(self, trials: int, mode: Mode) -> int:
        """How many answers it gets where others get `trials`."""
        pure = mode is Mode.PURE and self.pure_share is not None
        return int(trials * (self.pure_share if pure and self.pure_share else self.share))

    def schema(self, mode: Mode) -> DatasetSchema:
        """The declarations of its tables."""
        return DatasetSchema(
            columns=_COLUMNS,
            unit=self.unit,
            neighbouring=self.neighbouring,
            group_size=1,
            max_rows=_ROWS,
            public_rows=self.public_rows,
            mode=mode,
        )

    def question(self, price: dict[str, str]) -> dict[str, Any]:
        """The plan, at this price."""
        chosen = {} if self.adaptive is None else {"adaptive": self.adaptive}
        of_two = {"computed": list(self.computed)} if self.computed else {}
        asked = {"statistics": [self.statistic], "group_by": list(self.group_by)}
        return asked | of_two | chosen | price


def _of(kind: str, column: str = "value", **more: Any) -> dict[str, Any]:
    return {"statistic": kind, "column": column} | more


_REPLACED = Neighbouring.CHANGE_ONE
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
        "regression",
        Kind.REGRESSION.facts.label,
        _of("regression", predictors=["level"]),
        tables.one_more_row,
        # Six noises would have to be large at once for the largest ratio, and each answer is a line
        # with its errors, which takes long: coarser mistakes are seen.
        weakened=Fraction(3),
        share=Fraction(1, 2),
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
        tables.one_more_row,
        group_by=(_COLOURS, _SIZES),
        adaptive={"rounds": 2, "tables": [["colour"], ["size"]]},
        # Two draws share the price, and two choices: all would have to be telling at once.
        weakened=Fraction(2),
        share=Fraction(1, 5),
    ),
)
CASES = {case.name: case for case in _ALL}


@dataclass(frozen=True, slots=True)
class SurveyCase:
    """Reports of a local survey, by people of whom one answers the first and one the next answer.

    No table, no engine and no ρ: what is tried is the draw of the command line, which is OpenDP's.
    Its `share` of the trials is small where a report takes many draws.
    """

    name: str
    title: str
    answers: int
    claim: Fraction
    weakened: Fraction = Fraction(13, 10)
    share: Fraction = Fraction(1)


_SURVEYS = (
    SurveyCase("survey", _("Survey, by randomised response"), 5, Fraction(2)),
    SurveyCase(
        "survey_bits", _("Survey, by unary encoding"), 12, Fraction(1, 2), Fraction(2), _FEWER
    ),
)
SURVEYS = {case.name: case for case in _SURVEYS}
TITLES = {case.name: case.title for case in (*_ALL, *_SURVEYS)}
