"""What the guarantee says about groups, in numbers a person can read.

Pure arithmetic over the accountant, rounded so that the promise never looks better than it is.
Must never show a bound above 1 as a guarantee (catalogue F13).
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext

from django.utils.translation import gettext as _

from dpgov.budgets.meaning import certainty, certainty_text, sure_text
from dpgov.privacy.accounting.accountant import delta_of_group, epsilon_of_group
from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.meaning.odds import together_of
from dpgov.privacy.mechanisms.draw import price_of_same_error
from dpgov.privacy.noise.noise import NoiseOutOfRange
from dpgov.privacy.noise.sensitivity import Sensitivity

LARGEST_GROUP = 20
_DIGITS = 4
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class GroupReading:
    """The guarantee for any `size` units together.

    `budget_nano` and `question_nano` are their ε for all answers and for one question, with the
    noise as it is, the two `…_rho_nano` the same in ρ where ρ is counted. `noise_scale` is what a
    count would need so that the group has what one question promises to one unit. `delta` is δ at
    k times the declared ε; None where that is no guarantee.
    """

    size: int
    budget_nano: int
    question_nano: int
    noise_scale: Decimal
    delta: Decimal | None
    is_setting: bool
    budget_rho_nano: int | None = None
    question_rho_nano: int | None = None

    @property
    def delta_text(self) -> str:
        """δ, or that there is no guarantee."""
        return _("no guarantee") if self.delta is None else f"{self.delta.normalize():g}"


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure somebody who was 50% sure about `size` units can become, in percent.

    About what the neighbouring relation hides: under `add_remove` whether they are in the data;
    another value of theirs counts as twice as many units there. After one question, and after all
    answers that the budget allows; rounded up, as a number and in words.
    """

    size: int
    of_question: Decimal
    of_all: Decimal
    question_text: str
    all_text: str
    question_sure: str
    all_sure: str


def certainties(
    *, limit_nano: int, question_nano: int, setting: int, currency: Currency
) -> list[Certainty]:
    """For groups of 1 to 20 units and for the setting, if that is larger; in either currency.

    Under ρ it holds but for a probability of δ (`privacy.meaning.odds`).
    """
    found = []
    for size in _sizes(setting):
        one, every = (
            together_of(nano, units=size, setting=setting, currency=currency)
            for nano in (question_nano, limit_nano)
        )
        found.append(
            Certainty(
                size,
                certainty(one, currency),
                certainty(every, currency),
                certainty_text(one, currency),
                certainty_text(every, currency),
                sure_text(one, currency),
                sure_text(every, currency),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class SettingCost:
    """What a dataset for groups of another size would pay beside this one.

    `wider`: so many times as wide is its noise at the same price. `questions`: of a hundred
    questions like this one so many fit with the same error, rounded down.
    """

    wider: Decimal
    questions: int


def setting_cost(
    size: int, setting: int, currency: Currency, *, question_nano: int, rows_per_unit: int = 1
) -> SettingCost:
    """Of a group size in place of the dataset's own, for counts at this price.

    Under ρ a price grows with the square at most: at large prices noise is of a kind that grows
    more slowly, so that with a smaller group a question saves less than the square.
    """
    wider = (Decimal(size) / setting).quantize(_HUNDREDTH, rounding=ROUND_CEILING).normalize()
    if currency.delta is None:
        return SettingCost(wider, 100 * setting // size)
    now, then = (_of_count(rows * rows_per_unit) for rows in (setting, size))
    try:
        if size < setting:
            price = price_of_same_error(now, then, question_nano)
            return SettingCost(wider, 100 * question_nano // price)
    except NoiseOutOfRange:
        # At so small a price nothing is answered.
        pass
    return SettingCost(wider, 100 * setting**2 // size**2)


def _of_count(rows: int) -> Sensitivity:
    return Sensitivity(rows, rows**2)


def group_readings(
    *,
    limit_nano: int,
    question_nano: int,
    setting: int,
    rows_per_unit: int = 1,
    delta: Decimal = Decimal(0),
) -> list[GroupReading]:
    """Readings in pure ε for groups of 1 to 20 units and for the setting, if that is larger.

    With a group-size setting of g the noise is made for g units, so that k units have k/g of the
    booked ε (rounded up, to four digits where it is no whole number of nano-ε).
    """
    return [
        GroupReading(
            size=size,
            budget_nano=_of_group(limit_nano, size, setting),
            question_nano=_of_group(question_nano, size, setting),
            noise_scale=_scale(question_nano, size * rows_per_unit),
            delta=delta_of_group(delta, limit_nano, size),
            is_setting=size == setting,
        )
        for size in _sizes(setting)
    ]


def group_readings_in_rho(
    *,
    currency: Currency,
    limit_nano: int,
    target_nano: int,
    question_nano: int,
    setting: int,
    rows_per_unit: int = 1,
) -> list[GroupReading]:
    """The same under zCDP: limit and question in nano-ρ, the target in nano-ε at δ.

    Their ρ is `together_of`'s; their ε is the reading of that at the same δ. A group
    that is no multiple of the setting counts as the next one for δ.
    """
    readings = []
    for size in _sizes(setting):
        together, one = (
            together_of(nano, units=size, setting=setting, currency=currency)
            for nano in (limit_nano, question_nano)
        )
        reading = GroupReading(
            size=size,
            budget_nano=currency.together(together),
            question_nano=currency.together(one),
            noise_scale=_deviation(question_nano, size * rows_per_unit),
            delta=delta_of_group(currency.delta or Decimal(0), target_nano, -(-size // setting)),
            is_setting=size == setting,
            budget_rho_nano=together,
            question_rho_nano=one,
        )
        readings.append(reading)
    return readings


def _sizes(setting: int) -> list[int]:
    return [*range(1, LARGEST_GROUP + 1)] + ([setting] if setting > LARGEST_GROUP else [])


def _of_group(nano: int, size: int, setting: int) -> int:
    total = epsilon_of_group(nano, size)
    if total % setting == 0:
        return total // setting
    exact = -(-total // setting)
    unit: int = 10 ** max(0, len(str(exact)) - _DIGITS)
    return -(-exact // unit) * unit


def _scale(nano: int, rows: int) -> Decimal:
    exact = Decimal(rows) / Decimal(nano).scaleb(-9)
    return exact.quantize(Decimal("0.1"), rounding=ROUND_CEILING)


def _deviation(nano: int, rows: int) -> Decimal:
    """σ of Gaussian noise with this ρ: the sensitivity over the root of 2ρ."""
    with localcontext() as context:
        context.rounding = ROUND_CEILING
        exact = Decimal(rows) / (2 * Decimal(nano).scaleb(-9)).sqrt()
        return exact.quantize(Decimal("0.1"), rounding=ROUND_CEILING)
