"""A count of rows, and with a grouping a histogram: discrete Laplace on integers.

Clamping negative counts to zero would only hide what the noise did; they are released as drawn.
"""

from fractions import Fraction

from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.mechanisms.total import Total
from dpgov.privacy.plan import Statistic
from dpgov.privacy.request import Measure, MeasureKind
from dpgov.privacy.sensitivity import Exposure, of_count

_WHOLE = Fraction(1)


def count(statistic: Statistic, exposed: Exposure, nano: int) -> Total:
    """Rows in each cell; one noise vector over all cells, priced by its L1 bound."""
    part = NoisyPart(
        name="count",
        weights=((Measure(MeasureKind.ROWS), 1),),
        sensitivity=of_count(exposed),
        unit=_WHOLE,
        share=_WHOLE,
        nano=nano,
    )
    return Total(statistic, nano, part)
