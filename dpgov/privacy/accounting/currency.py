"""What the losses of one dataset are counted in for ever, and how such amounts read as an ε.

Pure ε adds up as it is. Under zCDP ρ adds up; an ε then speaks of one question (the ε of which
that ρ is the price) or of everything together, at the δ that the owner declared.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from dpgov.language.said import said
from dpgov.privacy.accounting.budget import InvalidAmount
from dpgov.privacy.accounting.loss import Loss, Mode, epsilon_at, rho_limit, rho_of

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Currency:
    """The mode of a budget; `delta` is None when it is pure, and only then."""

    mode: Mode = Mode.PURE
    delta: Decimal | None = None

    def __post_init__(self) -> None:
        if (self.delta is None) != (self.mode is Mode.PURE):
            raise ValueError("δ belongs to zCDP, and to zCDP only.")

    @property
    def unit(self) -> str:
        """The name of an amount in JSON: epsilon or rho."""
        return "epsilon" if self.mode is Mode.PURE else "rho"

    @property
    def symbol(self) -> str:
        """The sign of an amount on pages: ε or ρ."""
        return "ε" if self.mode is Mode.PURE else "ρ"

    @property
    def delta_text(self) -> str:
        """The one spelling of δ, such as 1e-6; empty when pure."""
        return "" if self.delta is None else f"{self.delta.normalize():e}"

    def limit_of(self, epsilon_nano: int) -> int:
        """The limit that keeps everything together within this ε (at δ), rounded down.

        Raises InvalidAmount where nothing at all would fit.
        """
        if self.delta is None:
            return epsilon_nano
        limit = rho_limit(epsilon_nano, self.delta)
        if limit < 1:
            refusal = said("ε is too small for any answer at δ {delta}.", delta=self.delta_text)
            raise InvalidAmount(refusal)
        return limit

    def target_of(self, epsilon_nano: int) -> int | None:
        """The ε to remember beside a limit; None where the limit says it itself."""
        return None if self.delta is None else epsilon_nano

    def price_of(self, epsilon_nano: int) -> int:
        """What one question with this pure ε costs, rounded up."""
        return epsilon_nano if self.mode is Mode.PURE else rho_of(epsilon_nano)

    def question(self, nano: int) -> int:
        """The pure ε of the largest single question that an amount pays for, rounded down."""
        epsilon = Loss(self.mode, max(0, nano)).as_epsilon
        return epsilon if self.mode is Mode.PURE else _tidy(epsilon, ROUND_FLOOR)

    def largest_question(self, nano: int) -> int:
        """The same to the last billionth: a nano-ε more would cost more than the amount."""
        return Loss(self.mode, max(0, nano)).as_epsilon

    def together(self, nano: int) -> int:
        """The ε (at δ) of everything that an amount was spent on, rounded up."""
        if self.delta is None:
            return nano
        return _tidy(epsilon_at(nano, self.delta), ROUND_CEILING)

    def adds(self, nano: int, before_nano: int) -> int:
        """What an amount adds to the ε (at δ) of everything before it, rounded up."""
        if self.delta is None:
            return nano
        before = epsilon_at(max(0, before_nano), self.delta)
        after = epsilon_at(max(0, before_nano) + nano, self.delta)
        return _tidy(after - before, ROUND_CEILING)

    def tidy_limit(self, nano: int) -> int:
        """An amount of ρ with four digits, rounded down, to begin with; a pure one as it is."""
        return nano if self.delta is None else max(1, _tidy(nano, ROUND_FLOOR))


PURE = Currency()


def _tidy(nano: int, rounding: str) -> int:
    """Four digits: a converted amount claims no more, and errs to the safe side."""
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, rounding
        return int(+Decimal(nano))
