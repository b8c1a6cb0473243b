"""A question as an attacker sees it: the answer's noise without somebody and with them.

Of the very mechanism that would answer it, on the promise's declarations; no data, no draw.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _

from dpgov.explain.promise import Promise
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.meaning.odds import Frequency, best_guess, frequency_of
from dpgov.privacy.meaning.overlap import Bin, Overlap
from dpgov.privacy.mechanisms.totals import PublicMean, Total
from dpgov.privacy.mechanisms.views import PowerSums
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.numbers import at_most

STATISTICS = (StatisticKind.COUNT, StatisticKind.SUM, StatisticKind.MEAN)
_MOST_BINS = 60


@dataclass(frozen=True, slots=True)
class Sides:
    """Both noises in `bins`; a lattice step is `unit` of what the axis counts.

    `guess` is how often the better guess from this one answer is right; `is_exact` says that it is
    so for whoever moves the answer most, and not only a bound. `bound` is what the price allows.
    """

    axis: str
    unit: Fraction
    shift: int
    bins: tuple[Bin, ...]
    guess: Frequency
    bound: Frequency
    is_exact: bool
    noise: str
    cost_nano: int

    def at(self, place: Bin) -> float:
        """The middle of a bin, on the axis."""
        return float(self.unit * (place.first + place.last) / 2)

    @property
    def moved_by(self) -> str:
        """How far somebody moves the answer at most, on the axis; rounded up."""
        return at_most(float(self.unit * self.shift))

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The table: place, probability without and with, in percent."""
        return [
            (f"{self.at(b):,.6g}", f"{100 * b.without:.4f}", f"{100 * b.within:.4f}")
            for b in self.bins
        ]


def sides(promise: Promise, *, statistic: str, column: str, epsilon_nano: int) -> Sides:
    """The two noises of this question. Raises InvalidPlan for what could not be asked."""
    facts = StatisticKind(statistic).facts
    asked = {"statistic": statistic} | ({"column": column} if facts.takes_column else {})
    raw = {"statistics": [asked], "epsilon": as_text(epsilon_nano)}
    blueprint = prepare(parse_plan(raw, promise.schema, dataset="example"), promise.schema)
    (mechanism,) = blueprint.mechanisms
    if not isinstance(mechanism, Total | PowerSums | PublicMean):
        raise TypeError(f"{statistic} is not made of sums.")
    taken = mechanism.taken
    reading = taken.readings[-1]
    alone = len(taken.readings) == 1
    # Of the two sums of a mean, somebody at the upper bound moves the last one alone.
    rows = promise.schema.group_size * promise.schema.unit.max_rows_per_unit
    overlap = Overlap(taken.noise, taken.reach.l1 if alone else rows * reading.unit.denominator)
    is_exact = alone or promise.hides_presence
    bound = best_guess(blueprint.cost_nano, promise.currency)
    guess = min(bound, Decimal(overlap.best_guess)) if is_exact else bound
    return Sides(
        axis=_("noisy sum behind the mean") if isinstance(mechanism, PowerSums) else _(facts.name),
        unit=reading.unit / (mechanism.rows if isinstance(mechanism, PublicMean) else 1),
        shift=overlap.shift,
        bins=tuple(overlap.bins(_MOST_BINS)),
        guess=frequency_of(guess),
        bound=frequency_of(bound),
        is_exact=is_exact,
        noise=_(taken.noise.kind.value),
        cost_nano=blueprint.cost_nano,
    )
