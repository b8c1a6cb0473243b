"""What declared bounds cost: how wrong a mean would be, and what clipping would do.

A function of what is typed and of invented values. No file, upload or stored row is looked at, so
that bounds cannot be tuned by it to the data.
"""

from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.mock.clipping import Clipped, Shape, clipped
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import Plan, Statistic
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)
from dpgov.privacy.plan.statistics import StatisticKind

ROWS = (1_000, 10_000)
_COLUMN = "column"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Of the question that is priced: a mean of all rows for this ε, in nano-ε."""

    epsilon_nano: int
    mode: Mode = Mode.PURE
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE
    group_size: int = 1
    rows_per_unit: int = 1
    missing: MissingRule = MissingRule.DROP


@dataclass(frozen=True, slots=True)
class ClippingEffect:
    """What clipping does to invented values of one shape; `moved` in the column's own unit."""

    shape: Shape
    share: Fraction
    moved: float


@dataclass(frozen=True, slots=True)
class BoundsEffects:
    """Of one pair of bounds: the error of a mean at 95%, for each of `ROWS`, and each shape."""

    domain: NumericDomain
    errors: tuple[float, ...]
    effects: tuple[ClippingEffect, ...]

    @property
    def width(self) -> float:
        """How far apart the bounds are."""
        return float(self.domain.upper - self.domain.lower)


def twice_as_wide(domain: NumericDomain) -> tuple[str, str]:
    """Bounds to compare with at first, as they would be typed: the upper one moves."""
    return decimal_text(domain.lower), decimal_text(2 * domain.upper - domain.lower)


def priced(pairs: tuple[NumericDomain, ...], setting: Setting) -> tuple[BoundsEffects, ...]:
    """Each pair's price; invented values spread over all that any of the pairs holds.

    Raises InvalidPlan for an ε at which no mean of the column can be answered.
    """
    least = min(domain.lower_steps for domain in pairs)
    most = max(domain.upper_steps for domain in pairs)
    return tuple(
        BoundsEffects(
            domain,
            tuple(_error(domain, setting, rows) for rows in ROWS),
            tuple(_effect(domain, least, most, shape) for shape in Shape),
        )
        for domain in pairs
    )


def _effect(domain: NumericDomain, least: int, most: int, shape: Shape) -> ClippingEffect:
    found: Clipped = clipped(
        domain.lower_steps, domain.upper_steps, least=least, most=most, shape=shape
    )
    return ClippingEffect(shape, found.share, float(found.moved * Fraction(domain.step)))


def _error(domain: NumericDomain, setting: Setting, rows: int) -> float:
    plan = Plan("", (Statistic(StatisticKind.MEAN, _COLUMN),), (), (), setting.epsilon_nano)
    ((_draw, _head, statements),) = prepare(plan, _schema(domain, setting, rows)).expected(rows)
    found = next(s["value"] for s in statements if s["confidence_level"] == USUAL_STATED)
    return min(float(found), float(domain.upper - domain.lower))


def _schema(domain: NumericDomain, setting: Setting, rows: int) -> DatasetSchema:
    missing = setting.missing
    code = 0 if missing is MissingRule.IMPUTE else None
    several = setting.rows_per_unit > 1
    unit = PrivacyUnit("unit", setting.rows_per_unit) if several else PrivacyUnit()
    public = setting.neighbouring is Neighbouring.CHANGE_ONE and not several
    return DatasetSchema(
        columns=(ColumnSpec(_COLUMN, domain, missing, code),),
        unit=unit,
        neighbouring=setting.neighbouring,
        group_size=setting.group_size,
        max_rows=max(ROWS),
        public_rows=rows if public else None,
        mode=setting.mode,
    )
