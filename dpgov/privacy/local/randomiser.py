"""How one answer out of k is randomised, in whole numbers of 2^32 draws, and what ε that is.

Two mechanisms (Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency
Estimation, 2017). *Randomised response* sends the true answer with probability p and each other one
with probability q. *Optimised unary encoding* sends a bit for each answer: the bit of the true one
is 1 with probability 1/2, each other bit with probability q. The first has the smaller error while
k < 3e^ε + 2.

Both probabilities are T / 2^32 with a whole T, so that a draw of 32 random bits is compared with it
exactly and ε follows from T alone, rounded up; it never exceeds the ε that was asked for. What
could leak: a q that is rounded down, or p and q that do not add up to a whole; both would make the
true ε larger than the one that is charged (catalogue M1, `unit/privacy/local`).
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import NANO

DRAWS = 2**32
FEWEST_ANSWERS, MOST_ANSWERS = 2, 50
LEAST_NANO, MOST_NANO = NANO // 10, 10 * NANO
_DIGITS = 60


class LocalKind(StrEnum):
    """The mechanism; the value is stored, sent to browsers, and never renamed."""

    RESPONSE = "randomised_response"
    UNARY = "optimised_unary_encoding"


class NotASurvey(ValueError):
    """No such randomiser is made; `str` says why."""


class NotAReport(ValueError):
    """A text that the randomiser cannot have sent; `str` says so, and nothing of the text."""

    def __init__(self) -> None:
        super().__init__(said("This is not a report of this survey. Nothing was recorded."))


@dataclass(frozen=True, slots=True)
class Randomiser:
    """`kept` of 2^32 draws keep the truth, `other` of them say one given other answer.

    For unary encoding: send a 1 for the true bit, and for another one.
    """

    kind: LocalKind
    answers: int
    kept: int
    other: int

    def __post_init__(self) -> None:
        if not FEWEST_ANSWERS <= self.answers <= MOST_ANSWERS or not 0 < self.other < self.kept:
            raise ValueError("no randomiser has these thresholds")
        rest = DRAWS - self.kept
        if self.kind is LocalKind.RESPONSE and rest != (self.answers - 1) * self.other:
            raise ValueError("the answers share all draws")
        if self.kind is LocalKind.UNARY and rest != self.kept:
            raise ValueError("the true bit is sent by a fair coin")

    @property
    def p(self) -> Fraction:
        """The probability with which the truth is sent, exactly."""
        return Fraction(self.kept, DRAWS)

    @property
    def q(self) -> Fraction:
        """The probability with which one given other answer is sent, exactly."""
        return Fraction(self.other, DRAWS)

    @property
    def odds(self) -> Fraction:
        """e^ε: how much likelier a report is under one answer than under another, at most."""
        if self.kind is LocalKind.RESPONSE:
            return self.p / self.q
        return self.p * (1 - self.q) / ((1 - self.p) * self.q)

    @property
    def epsilon_nano(self) -> int:
        """The ε of a changed answer in nano-ε, from the thresholds and rounded up."""
        with localcontext() as context:
            context.prec, context.rounding = _DIGITS, ROUND_CEILING
            log = (Decimal(self.odds.numerator) / Decimal(self.odds.denominator)).ln()
            # 50 correct digits: the margin is far above what rounding can have done.
            return int((log * NANO + Decimal("1e-40")).to_integral_value(rounding=ROUND_CEILING))

    @property
    def size(self) -> int:
        """The number of characters of every report, whatever the answer."""
        if self.kind is LocalKind.UNARY:
            return self.answers
        return len(str(self.answers - 1))

    def places(self, report: object) -> tuple[int, ...]:
        """The answers that a report names, by place. Raises NotAReport."""
        if not isinstance(report, str) or len(report) != self.size or not report.isascii():
            raise NotAReport
        if not report.isdigit():
            raise NotAReport
        if self.kind is LocalKind.RESPONSE:
            return (self._place(report),)
        if set(report) - {"0", "1"}:
            raise NotAReport
        return tuple(place for place, bit in enumerate(report) if bit == "1")

    def _place(self, report: str) -> int:
        if int(report) >= self.answers:
            raise NotAReport
        return int(report)

    def written(self, place: int) -> str:
        """The report of randomised response that names this answer."""
        return str(place).zfill(self.size)


def for_epsilon(answers: int, epsilon_nano: int) -> Randomiser:
    """The better of the two mechanisms for so many answers, within this ε. Raises NotASurvey."""
    if not FEWEST_ANSWERS <= answers <= MOST_ANSWERS:
        raise NotASurvey(
            said(
                "A question has {fewest} to {most} answers.",
                fewest=FEWEST_ANSWERS,
                most=MOST_ANSWERS,
            )
        )
    if not LEAST_NANO <= epsilon_nano <= MOST_NANO:
        raise NotASurvey(
            said("Choose an ε from 0.1 to 10: less says nothing, and more protects nobody.")
        )
    found = _draws_for(answers, epsilon_nano)
    while found.epsilon_nano > epsilon_nano:
        found = _with_other(found.kind, answers, found.other + 1)
    return found


def _draws_for(answers: int, epsilon_nano: int) -> Randomiser:
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        odds = Decimal(epsilon_nano).scaleb(-9).exp()
        kind = LocalKind.RESPONSE if answers < 3 * odds + 2 else LocalKind.UNARY
        others = answers - 1 if kind is LocalKind.RESPONSE else 1
        draws = (DRAWS / (odds + others)).to_integral_value(rounding=ROUND_CEILING)
    return _with_other(kind, answers, int(draws))


def _with_other(kind: LocalKind, answers: int, other: int) -> Randomiser:
    """A larger q has a smaller ε."""
    kept = DRAWS // 2 if kind is LocalKind.UNARY else DRAWS - (answers - 1) * other
    return Randomiser(kind, answers, kept, other)
