"""The statistics, in one table: what each is called, what it needs and what makes it private.

Forms, REST, SQL, policies, prices, answers and histories take from here whatever they say or ask of
a statistic; `mechanisms.choice` has the mechanism of each recipe. Words are patterns: they are said
in the reader's language when they are shown. Must never look at a plan or a schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from types import MappingProxyType

from dpgov.language.said import pattern


class StatisticKind(StrEnum):
    """The statistics that can be asked, as plans name them, in the order of the API's schema."""

    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    DISTINCT_VALUES = "distinct_values"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "variance"
    STANDARD_DEVIATION = "standard_deviation"
    MEDIAN = "median"
    QUANTILES = "quantiles"
    MIN = "min"
    MAX = "max"
    CDF = "cdf"
    JOINT_CDF = "joint_cdf"
    REGRESSION = "regression"
    LOGISTIC_REGRESSION = "logistic_regression"

    @property
    def facts(self) -> "Facts":
        """Its line of the table."""
        return STATISTICS[self]


class Recipe(Enum):
    """How it is made private."""

    ROWS = auto()
    UNITS = auto()
    VALUES = auto()
    SUM = auto()
    MEAN = auto()
    SPREAD = auto()
    ORDERS = auto()
    EXTREME = auto()
    CUMULATIVE = auto()
    PRODUCTS = auto()
    DESCENT = auto()


class Quantity(Enum):
    """What its number is, and so what it can be at all (`plan.ranges`)."""

    NUMBER = auto()
    TOTAL = auto()
    VALUE = auto()
    DISTANCE = auto()
    SQUARE = auto()
    SLOPE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One statistic.

    `option` is how the ask form offers it, under `section`; `label` is its name alone, and `name`
    the same inside a sentence. `sentence` says it of a column. `without_column` refuses a column,
    where it takes none; `ungrouped` says what to do where it needs groups and has none, and `along`
    how many of the last ones, with edges, it adds up along. `sql` are the functions of a column
    that ask for it, the usual one first.
    """

    recipe: Recipe
    quantity: Quantity
    section: str
    name: str
    label: str
    option: str
    sentence: str
    without_column: str = ""
    ungrouped: str = ""
    along: int = 0
    synonyms: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()

    @property
    def takes_column(self) -> bool:
        """Whether it is of a column; others are of rows."""
        return not self.without_column

    @property
    def takes_any_column(self) -> bool:
        """Whether that may hold categories, too, and not numbers or dates alone."""
        return self.recipe in (Recipe.VALUES, Recipe.DESCENT)

    @property
    def takes_two_values(self) -> bool:
        """Whether that must say yes or no."""
        return self.recipe is Recipe.DESCENT

    @property
    def takes_predictors(self) -> bool:
        """Whether it is of a column by others; one line for all rows, and so without groups."""
        return self.recipe in (Recipe.PRODUCTS, Recipe.DESCENT)

    @property
    def can_be_clipped(self) -> bool:
        """Whether narrower bounds make it exacter: noise of a sum grows with them."""
        return self.recipe in (Recipe.SUM, Recipe.MEAN, Recipe.SPREAD)

    @property
    def error_in_rows(self) -> bool:
        """Whether its error is counted in rows: a noisy choice has none in its own unit."""
        return self.recipe in (Recipe.ORDERS, Recipe.EXTREME)

    @property
    def depends_on_rows(self) -> bool:
        """Whether its error can only be said for a number of rows."""
        return self.quantity not in (Quantity.NUMBER, Quantity.TOTAL)


_HOW_MANY, _HOW_MUCH = pattern("How many"), pattern("How much")
_TYPICAL, _SPREAD = pattern("Typical value"), pattern("Spread")
_RELATION = pattern("Relation")
_COUNT = Facts(
    recipe=Recipe.ROWS,
    quantity=Quantity.NUMBER,
    section=_HOW_MANY,
    name=pattern("count"),
    label=pattern("Count"),
    option=pattern("Count: how many rows"),
    sentence=pattern("Count of rows"),
    without_column=pattern("A count counts rows and takes no column."),
)
# What the ask form calls a count with groups; a plan has no name for it.
HISTOGRAM = "histogram"
# In the order of the ask form.
STATISTICS: Mapping[str, Facts] = MappingProxyType(
    {
        StatisticKind.COUNT: _COUNT,
        StatisticKind.COUNT_DISTINCT: Facts(
            recipe=Recipe.UNITS,
            quantity=Quantity.NUMBER,
            section=_HOW_MANY,
            name=pattern("distinct count"),
            label=pattern("Distinct count"),
            option=pattern("Distinct count of privacy units"),
            sentence=pattern("Distinct count of privacy units"),
            without_column=pattern("A distinct count counts privacy units and takes no column."),
            synonyms=("distinct",),
        ),
        StatisticKind.DISTINCT_VALUES: Facts(
            recipe=Recipe.VALUES,
            quantity=Quantity.NUMBER,
            section=_HOW_MANY,
            name=pattern("distinct values"),
            label=pattern("Distinct values"),
            option=pattern("Distinct values: of a column"),
            sentence=pattern("Number of distinct values of {column}"),
        ),
        HISTOGRAM: replace(
            _COUNT,
            name=pattern("histogram"),
            label=pattern("Histogram"),
            option=pattern("Histogram: count per group"),
            ungrouped=pattern("A histogram needs groups: add a column under “Group the answer”."),
        ),
        StatisticKind.CDF: Facts(
            recipe=Recipe.CUMULATIVE,
            quantity=Quantity.NUMBER,
            section=_HOW_MANY,
            name=pattern("cumulative distribution"),
            label=pattern("Cumulative distribution"),
            option=pattern("Cumulative: rows up to each edge"),
            sentence=pattern("Cumulative count of rows"),
            without_column=pattern(
                "A cumulative distribution runs along the last group and takes no column."
            ),
            ungrouped=pattern(
                "A cumulative distribution runs along a column of numbers or dates: "
                "add one under “Group the answer”, as the last."
            ),
            along=1,
            synonyms=("cumulative_distribution",),
        ),
        StatisticKind.JOINT_CDF: Facts(
            recipe=Recipe.CUMULATIVE,
            quantity=Quantity.NUMBER,
            section=_HOW_MANY,
            name=pattern("joint cumulative distribution"),
            label=pattern("Joint cumulative distribution"),
            option=pattern("Rectangles: rows up to each edge of two columns"),
            sentence=pattern("Joint cumulative count of rows"),
            without_column=pattern(
                "A joint cumulative distribution runs along the last two groups and takes no "
                "column."
            ),
            ungrouped=pattern(
                "A joint cumulative distribution runs along two columns of numbers or dates: "
                "add them under “Group the answer”, as the last two, with their edges."
            ),
            along=2,
            synonyms=("joint_cumulative_distribution",),
        ),
        StatisticKind.SUM: Facts(
            recipe=Recipe.SUM,
            quantity=Quantity.TOTAL,
            section=_HOW_MUCH,
            name=pattern("sum"),
            label=pattern("Sum"),
            option=pattern("Sum: total of a column"),
            sentence=pattern("Sum of {column}"),
            synonyms=("total",),
            sql=("SUM",),
        ),
        StatisticKind.MIN: Facts(
            recipe=Recipe.EXTREME,
            quantity=Quantity.VALUE,
            section=_HOW_MUCH,
            name=pattern("minimum"),
            label=pattern("Minimum"),
            option=pattern("Minimum: a value near it"),
            sentence=pattern("Minimum of {column}"),
            synonyms=("minimum",),
            sql=("MIN",),
        ),
        StatisticKind.MAX: Facts(
            recipe=Recipe.EXTREME,
            quantity=Quantity.VALUE,
            section=_HOW_MUCH,
            name=pattern("maximum"),
            label=pattern("Maximum"),
            option=pattern("Maximum: a value near it"),
            sentence=pattern("Maximum of {column}"),
            synonyms=("maximum",),
            sql=("MAX",),
        ),
        StatisticKind.MEAN: Facts(
            recipe=Recipe.MEAN,
            quantity=Quantity.VALUE,
            section=_TYPICAL,
            name=pattern("mean"),
            label=pattern("Mean"),
            option=pattern("Mean: average of a column"),
            sentence=pattern("Mean of {column}"),
            synonyms=("average", "avg"),
            sql=("AVG",),
        ),
        StatisticKind.MEDIAN: Facts(
            recipe=Recipe.ORDERS,
            quantity=Quantity.VALUE,
            section=_TYPICAL,
            name=pattern("median"),
            label=pattern("Median"),
            option=pattern("Median: half lie below it"),
            sentence=pattern("Median of {column}"),
            sql=("MEDIAN",),
        ),
        StatisticKind.QUANTILES: Facts(
            recipe=Recipe.ORDERS,
            quantity=Quantity.VALUE,
            section=_TYPICAL,
            name=pattern("quantiles"),
            label=pattern("Quantiles"),
            option=pattern("Quantiles: quartiles and others"),
            sentence=pattern("Quantiles of {column} at {shares}"),
        ),
        StatisticKind.STANDARD_DEVIATION: Facts(
            recipe=Recipe.SPREAD,
            quantity=Quantity.DISTANCE,
            section=_SPREAD,
            name=pattern("standard deviation"),
            label=pattern("Standard deviation"),
            option=pattern("Standard deviation"),
            sentence=pattern("Standard deviation of {column}"),
            synonyms=("std", "stddev"),
            sql=("STDDEV_POP", "STDDEV"),
        ),
        StatisticKind.VARIANCE: Facts(
            recipe=Recipe.SPREAD,
            quantity=Quantity.SQUARE,
            section=_SPREAD,
            name=pattern("variance"),
            label=pattern("Variance"),
            option=pattern("Variance: its square"),
            sentence=pattern("Variance of {column}"),
            sql=("VAR_POP", "VARIANCE"),
        ),
        StatisticKind.REGRESSION: Facts(
            recipe=Recipe.PRODUCTS,
            quantity=Quantity.SLOPE,
            section=_RELATION,
            name=pattern("regression"),
            label=pattern("Regression"),
            option=pattern("Regression: by other columns"),
            sentence=pattern("Regression of {column} on {predictors}"),
            synonyms=("linear_regression", "ols"),
        ),
        StatisticKind.LOGISTIC_REGRESSION: Facts(
            recipe=Recipe.DESCENT,
            quantity=Quantity.SLOPE,
            section=_RELATION,
            name=pattern("logistic regression"),
            label=pattern("Logistic regression"),
            option=pattern("Logistic regression: of a yes or no"),
            sentence=pattern("Logistic regression of {column} on {predictors}"),
            synonyms=("logistic", "logit"),
        ),
    }
)
IN_ROWS = tuple(kind for kind in StatisticKind if kind.facts.error_in_rows)
# Statistics that take no column.
OF_ROWS = tuple(kind for kind in StatisticKind if not kind.facts.takes_column)
# Those of any declared column.
OF_ANY = tuple(kind for kind in StatisticKind if kind.facts.takes_any_column)
SYNONYMS = {word: kind for kind in StatisticKind for word in kind.facts.synonyms}
