"""Privacy loss in two currencies, as exact integers of a billionth: pure ε, and ρ of zCDP.

What the losses of one dataset are counted in, for ever, and how such amounts read as an ε. Pure ε
adds up as it is. Under zCDP ρ adds up; an ε then speaks of one question (the ε of which that ρ is
the price) or of everything together, at the δ that the owner declared.

Every conversion rounds against the analyst: a cost up, a limit down. The mathematics of
docs/guarantee.md, section 6.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from enum import StrEnum
from functools import lru_cache

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import MAX_NANO, NANO, InvalidAmount, as_number

_DIGITS = 60
_SMALLEST_DELTA = Decimal("1e-30")


class Mode(StrEnum):
    """How a dataset's losses are added up: as ε, or as ρ towards an (ε, δ)."""

    PURE = "pure"
    ZCDP = "zcdp"


@dataclass(frozen=True, slots=True)
class Loss:
    """An amount of one currency: nano-ε when pure, nano-ρ under zCDP."""

    mode: Mode
    nano: int

    def part(self, numerator: int, denominator: int) -> "Loss":
        """A share of it, rounded down: shares together never cost more than the whole."""
        return Loss(self.mode, self.nano * numerator // denominator)

    def as_json(self) -> dict[str, float]:
        """{"epsilon": 0.5} or {"rho": 0.125}."""
        return {"epsilon" if self.mode is Mode.PURE else "rho": as_number(self.nano)}

    @property
    def as_epsilon(self) -> int:
        """The largest pure ε, in nano, that this amount pays for; 0 if it pays for none."""
        return self.nano if self.mode is Mode.PURE else epsilon_paid_by(self.nano)


class InvalidDelta(ValueError):
    """δ must be a decimal above zero and at most 0.1; `str` says so."""


def parse_delta(value: object) -> Decimal:
    """A δ from a form or JSON, exactly. Raises InvalidDelta."""
    text = str(value).strip()
    try:
        delta = Decimal(text) if text.isascii() and len(text) <= 40 else Decimal("nan")
    except ArithmeticError:
        delta = Decimal("nan")
    if isinstance(value, bool) or not delta.is_finite():
        raise InvalidDelta(said("δ must be a plain decimal number, like 0.000001 or 1e-6."))
    if not _SMALLEST_DELTA <= delta <= Decimal("0.1"):
        raise InvalidDelta(
            said("δ must lie between 1e-30 and 0.1; well under 1 in the number of rows.")
        )
    return delta.normalize()


@lru_cache(maxsize=4096)
def rho_of(epsilon_nano: int) -> int:
    """ρ of any ε-DP mechanism, in nano-ρ, rounded up: ε tanh(ε/2).

    Attained by randomised response, hence by discrete Laplace noise of whole-step sensitivity
    (Bun and Steinke 2016, proposition 3.3, gives its bound ε²/2).
    """
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        epsilon = Decimal(epsilon_nano).scaleb(-9)
        fall = (-epsilon).exp()
        rho = epsilon * (1 - fall) / (1 + fall)
        return max(1, int((rho * NANO).to_integral_value(rounding=ROUND_CEILING)))


@lru_cache(maxsize=4096)
def epsilon_paid_by(rho_nano: int) -> int:
    """The largest ε, in nano-ε, whose ρ is at most this; 0 if none is."""
    low, high = 0, MAX_NANO
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if rho_of(middle) <= rho_nano else (low, middle - 1)
    return low


@lru_cache(maxsize=1024)
def rho_limit(epsilon_nano: int, delta: Decimal) -> int:
    """The largest ρ, in nano-ρ, that implies (ε, δ)-DP by the tight conversion; 0 if none does."""
    low, high = 0, MAX_NANO
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _implies(middle, epsilon_nano, delta) else (low, middle - 1)
    return low


@lru_cache(maxsize=4096)
def epsilon_at(rho_nano: int, delta: Decimal) -> int:
    """The smallest ε, in nano-ε, such that ρ-zCDP implies (ε, δ)-DP; 0 for no loss at all."""
    if rho_nano == 0:
        return 0
    epsilon = max(0, _estimate(rho_nano / NANO, delta))
    while not _implies(rho_nano, epsilon, delta):
        epsilon += 1
    while epsilon > 0 and _implies(rho_nano, epsilon - 1, delta):
        epsilon -= 1
    return epsilon


def _estimate(rho: float, delta: Decimal) -> int:
    """Within rounding of the ε, in nano, at which the bound of `_implies` is δ for the best a."""
    wanted = -float(delta.ln())

    def epsilon_of(logarithm: float) -> float:
        above = math.exp(logarithm)
        a = above + 1
        return a * rho + (wanted - logarithm + a * (logarithm - math.log(a))) / above

    return math.ceil(NANO * epsilon_of(_least(epsilon_of)))


def _implies(rho_nano: int, epsilon_nano: int, delta: Decimal) -> bool:
    """δ(ε) = inf over a > 1 of exp((a-1)(aρ - ε)) / (a-1) (1 - 1/a)^a is at most δ.

    Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, 2020. Any a gives
    a valid bound, so that the search may be in floats and the bound itself is exact.
    """
    if rho_nano == 0:
        return True
    order = _best_order(rho_nano / NANO, epsilon_nano / NANO)
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        rho, epsilon = Decimal(rho_nano).scaleb(-9), Decimal(epsilon_nano).scaleb(-9)
        above = Decimal(order)
        a = above + 1
        log = above * (a * rho - epsilon) - above.ln() + a * (above / a).ln()
        # 50 correct digits: the margin is far above what rounding can have done.
        return log + Decimal("1e-45") <= _floor_log(delta)


def _floor_log(delta: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_FLOOR
        return delta.ln()


def _best_order(rho: float, epsilon: float) -> float:
    """a - 1 near the least bound."""

    def log_delta(logarithm: float) -> float:
        above = math.exp(logarithm)
        a = above + 1
        return above * (a * rho - epsilon) - logarithm + a * (logarithm - math.log(a))

    return math.exp(_least(log_delta))


def _least(bound: Callable[[float], float]) -> float:
    """Where a function of ln(a - 1) with one valley is least, by golden section."""
    low, high = -25.0, 35.0
    share = (math.sqrt(5) - 1) / 2
    for _ in range(80):
        left, right = high - share * (high - low), low + share * (high - low)
        low, high = (low, right) if bound(left) <= bound(right) else (left, high)
    return (low + high) / 2


_SHOWN = 4


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

    def question_for(self, nano: int) -> int:
        """The pure ε to ask for where one question costs this much: `price_of` it is never less."""
        if self.mode is Mode.PURE:
            return nano
        paid = self.largest_question(nano)
        return _tidy(paid if self.price_of(paid) >= nano else paid + 1, ROUND_CEILING)

    def limit_for(self, nano: int) -> int:
        """The ε (at δ) of a limit to ask for that holds this much: `limit_of` it is never less."""
        if self.delta is None:
            return nano
        found = max(1, self.together(nano))
        while rho_limit(found, self.delta) < nano:
            found = _tidy(found + 1, ROUND_CEILING)
        return found

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
        context.prec, context.rounding = _SHOWN, rounding
        return int(+Decimal(nano))
