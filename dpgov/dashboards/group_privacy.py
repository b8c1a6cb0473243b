"""What the guarantee says about groups, in numbers a person can read.

Pure arithmetic over the accountant, rounded so that the promise never looks better than it is.
Must never show a bound above 1 as a guarantee (catalogue F13).
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from dpgov.privacy.accountant import delta_of_group, epsilon_of_group

LARGEST_GROUP = 20
_DIGITS = 4
_CERTAIN = Decimal("99.99")
_MOST_ODDS = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class GroupReading:
    """The guarantee for any `size` units together.

    `budget_nano` and `question_nano` are their ε for all answers and for one question, with the
    noise as it is; `noise_scale` is what a count would need so that the group has the question's
    own ε. `delta` is None where there is no guarantee.
    """

    size: int
    budget_nano: int
    question_nano: int
    noise_scale: Decimal
    delta: Decimal | None
    is_setting: bool

    @property
    def delta_text(self) -> str:
        """δ, or that there is no guarantee."""
        return "no guarantee" if self.delta is None else f"{self.delta.normalize():g}"


def group_readings(
    *,
    limit_nano: int,
    question_nano: int,
    setting: int,
    rows_per_unit: int = 1,
    delta: Decimal = Decimal(0),
) -> list[GroupReading]:
    """Readings for groups of 1 to 20 units and for the setting, if that is larger.

    With a group-size setting of g the noise is made for g units, so that k units have k/g of the
    booked ε (rounded up, to four digits where it is no whole number of nano-ε).
    """
    sizes = [*range(1, LARGEST_GROUP + 1)] + ([setting] if setting > LARGEST_GROUP else [])
    return [
        GroupReading(
            size=size,
            budget_nano=_of_group(limit_nano, size, setting),
            question_nano=_of_group(question_nano, size, setting),
            noise_scale=_scale(question_nano, size * rows_per_unit),
            delta=delta_of_group(delta, limit_nano, size),
            is_setting=size == setting,
        )
        for size in sizes
    ]


def odds_text(nano: int) -> str:
    """The factor e^ε, rounded up: "2.72"; beyond a million only that it is more."""
    odds = Decimal(nano).scaleb(-9).exp()
    if odds > _MOST_ODDS:
        return "more than a million"
    places = Decimal("0.01") if odds < 100 else Decimal(1)
    return f"{odds.quantize(places, rounding=ROUND_CEILING):,}"


def posterior_text(nano: int) -> str:
    """What a 50 % guess can become at most, in percent, rounded up."""
    odds = Decimal(nano).scaleb(-9).exp()
    percent = (100 * odds / (1 + odds)).quantize(Decimal("0.01"), rounding=ROUND_CEILING)
    return f"more than {_CERTAIN} %" if percent > _CERTAIN else f"{percent} %"


def _of_group(nano: int, size: int, setting: int) -> int:
    total = epsilon_of_group(nano, size)
    if total % setting == 0:
        return total // setting
    exact = -(-total // setting)
    unit = 10 ** max(0, len(str(exact)) - _DIGITS)
    return -(-exact // unit) * unit


def _scale(nano: int, rows: int) -> Decimal:
    exact = Decimal(rows) / Decimal(nano).scaleb(-9)
    return exact.quantize(Decimal("0.1"), rounding=ROUND_CEILING)
