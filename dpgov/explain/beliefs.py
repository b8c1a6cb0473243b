"""How far a well-informed attacker's guess can move under a promise, in numbers for tables.

Words are those of `budgets.meaning`: never more optimistic than the truth.
"""

from dataclasses import dataclass
from decimal import Decimal

from dpgov.budgets.meaning import factor_text, range_text
from dpgov.explain.promise import Promise
from dpgov.language.translation import percent
from dpgov.privacy.meaning.odds import Belief, Frequency, belief_after, best_guess, frequency_of
from dpgov.privacy.meaning.odds import together_of as amount_together

BELIEFS = tuple(Decimal(percent) / 100 for percent in (1, 10, 25, 50, 75, 90, 99))
# Where the curve of all beliefs is drawn.
PLACES = tuple(Decimal(place) / 200 for place in (1, *range(4, 197, 4), 199))
_GROUPS = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Stage:
    """Something that a loss is added up over: one question, what is spent so far, everything.

    `present` is about whether somebody is in the data (None where that is not hidden), `says` about
    what their rows say. `factor` is that of the one step that is paid for: of `present` where there
    is one, else of `says`.
    """

    name: str
    nano: int
    present: Frequency | None
    says: Frequency
    factor: str


@dataclass(frozen=True, slots=True)
class Moved:
    """One belief before, and what it can become so far and after everything; texts in percent."""

    before: Decimal
    so_far: Belief
    at_last: Belief

    @property
    def before_text(self) -> str:
        """Without needless digits."""
        return percent(f"{(self.before * 100).normalize():f}")

    @property
    def so_far_text(self) -> str:
        """From where to where."""
        return range_text(self.so_far)

    @property
    def at_last_text(self) -> str:
        """From where to where."""
        return range_text(self.at_last)


@dataclass(frozen=True, slots=True)
class GroupBelief:
    """What holds for any `size` units together."""

    size: int
    so_far: Frequency
    at_last: Frequency
    is_setting: bool


def stage(promise: Promise, name: str, nano: int) -> Stage:
    """What a loss of `nano` means for the protected group."""
    replaced = promise.schema.neighbouring.steps_to_another_value * promise.schema.group_size
    present = _guesses(promise, nano, promise.schema.group_size) if promise.hides_presence else None
    factor = factor_text(nano, promise.currency)
    return Stage(name, nano, present, _guesses(promise, nano, replaced), factor)


def moved(promise: Promise, before: Decimal) -> Moved:
    """Bounds on a belief about what the neighbouring relation hides."""
    return Moved(
        before,
        belief_after(before, promise.committed_nano, promise.currency),
        belief_after(before, promise.limit_nano, promise.currency),
    )


def groups(promise: Promise) -> list[GroupBelief]:
    """The guesses about groups of some sizes, and of the setting."""
    setting = promise.schema.group_size
    return [
        GroupBelief(
            size,
            _guesses(promise, promise.committed_nano, size),
            _guesses(promise, promise.limit_nano, size),
            size == setting,
        )
        for size in sorted({*_GROUPS, setting})
    ]


def _guesses(promise: Promise, nano: int, units: int) -> Frequency:
    amount = amount_together(
        nano, units=units, setting=promise.schema.group_size, currency=promise.currency
    )
    return frequency_of(best_guess(amount, promise.currency))
