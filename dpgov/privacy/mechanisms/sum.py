"""A sum of a column's clipped values: discrete Laplace on whole steps."""

from fractions import Fraction

from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.mechanisms.total import Total
from dpgov.privacy.plan import Statistic
from dpgov.privacy.request import Measure, MeasureKind
from dpgov.privacy.schema import NumericDomain
from dpgov.privacy.sensitivity import Exposure, of_sum


def steps_of(column: int, domain: NumericDomain) -> tuple[tuple[Measure, int], ...]:
    """The sum in steps: a code counts steps from the lower bound, so that is added per value."""
    return (
        (Measure(MeasureKind.CODE_SUM, column), 1),
        (Measure(MeasureKind.PRESENT, column), domain.lower_steps),
    )


def sum_part(column: int, domain: NumericDomain, exposed: Exposure, nano: int) -> NoisyPart:
    """The noisy sum of one column, with all of the ε."""
    return NoisyPart(
        name="sum",
        weights=steps_of(column, domain),
        sensitivity=of_sum(domain, exposed),
        unit=Fraction(domain.step),
        share=Fraction(1),
        nano=nano,
    )


def total(
    statistic: Statistic, column: int, domain: NumericDomain, exposed: Exposure, nano: int
) -> Total:
    """The sum of the present values in each cell."""
    return Total(statistic, nano, sum_part(column, domain, exposed, nano))
