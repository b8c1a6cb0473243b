"""A survey in words and numbers: the rule as coins, what is expected, what came of it.

Everything follows from thresholds and from counts of randomised reports, which are public.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.meaning import factor_text
from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import PURE
from dpgov.privacy.local.estimate import moved_by, share_of, widest
from dpgov.privacy.local.randomiser import LocalKind, Randomiser
from dpgov.queries.wording.plotting import Figure, as_figure, inert
from dpgov.surveys.models import Survey

_LARGEST_DENOMINATOR = 10
# Of what is narrower than so much of all, the step in points.
_TENTH = Decimal("0.1")
_STEPS = ((Fraction(1, 1000), Decimal("0.001")), (Fraction(1, 100), Decimal("0.01")))
_SIZES = ((5, "small"), (9, "medium"), (14, "tall"))


@dataclass(frozen=True, slots=True)
class Randomisation:
    """How an answer is randomised: sentences, the true ε, and by how much a report may tell."""

    sentences: tuple[str, ...]
    epsilon: str
    odds: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer in the table: counts and percentages as text, numbers for figure and API."""

    answer: str
    count: int
    exact: float
    share: float
    low: float
    high: float

    @property
    def shown(self) -> str:
        """The estimate."""
        return percent(_percentage(self.share, round, self._step))

    @property
    def interval(self) -> str:
        """Where the true share lies at 95%; rounded, it holds what it held before."""
        low, high = self.ends
        return _("%(low)s to %(high)s") % {"low": low, "high": percent(high)}

    @property
    def ends(self) -> tuple[Decimal, Decimal]:
        """Those of the interval in percent, rounded away from each other."""
        low = _percentage(self.low, floor, self._step)
        return low, _percentage(self.high, ceil, self._step)

    @property
    def _step(self) -> Decimal:
        return _step_of(self.high - self.low)


def rule_of(randomiser: Randomiser) -> Randomisation:
    """The rule, for owners and respondents alike."""
    if randomiser.kind is LocalKind.RESPONSE:
        sentences: tuple[str, ...] = (
            _("With %(chances)s your true answer is sent (%(share)s).")
            % {"chances": _chances(randomiser.p), "share": _share(randomiser.p)},
            _("Otherwise one of the other answers is sent, each as likely as the next."),
        )
    else:
        sentences = (
            _("A yes or no is sent for each of the answers."),
            _("For your true answer a fair coin says yes or no."),
            _("For every other answer it is yes with %(chances)s (%(share)s).")
            % {"chances": _chances(randomiser.q), "share": _share(randomiser.q)},
        )
    # Its ε is rounded up, and so are they: a report tells no more than is said.
    odds = factor_text(randomiser.epsilon_nano, PURE)
    return Randomisation(sentences, as_text(randomiser.epsilon_nano), odds)


def _chances(chance: Fraction) -> str:
    near = chance.limit_denominator(_LARGEST_DENOMINATOR)
    words = (
        _("%(some)s chances in %(all)s")
        if near == chance
        else _("about %(some)s chances in %(all)s")
    )
    return words % {"some": near.numerator, "all": near.denominator}


def _share(chance: Fraction) -> str:
    return percent(f"{100 * float(chance):.1f}")


def points(share: float | Fraction) -> str:
    """How far a share may lie from another, at most: "4.3 points", rounded up."""
    number = _percentage(share, ceil, _step_of(share))
    return ngettext("%(number)s point", "%(number)s points", 1 if number == 1 else 2) % {
        "number": number
    }


def _step_of(width: float | Fraction) -> Decimal:
    """What shares are rounded to, in points: a tenth, and of what is narrow a hundredth or less."""
    return next((step for most, step in _STEPS if width < most), _TENTH)


def _percentage(
    share: float | Fraction, rounded: Callable[[Fraction], int], step: Decimal
) -> Decimal:
    """In percent, rounded once: a float is taken for the number that it is."""
    return rounded(100 * Fraction(share) / Fraction(step)) * step


def expected_error(survey: Survey, reports: int = 0) -> str:
    """The ± of a share with so many reports, or with as many as its owner expects."""
    return points(widest(survey.randomiser, reports or survey.expected))


def liars_effect(survey: Survey, reports: int = 0) -> tuple[int, str]:
    """One in a hundred respondents, and how far they could move a share."""
    liars, moved = moved_by_liars(survey, reports)
    return liars, points(moved)


def moved_by_liars(survey: Survey, reports: int = 0) -> tuple[int, Fraction]:
    """The same as a number, of a share of 1."""
    number = reports or survey.expected
    liars = max(1, number // 100)
    return liars, min(Fraction(1), moved_by(survey.randomiser, liars, number))


def lines_of(survey: Survey) -> list[AnswerRow]:
    """The answers in the order of the survey; none before the first report."""
    tally = survey.tally
    if not tally.reports:
        return []
    shares = [share_of(survey.randomiser, count, tally.reports) for count in tally.counts]
    return [
        AnswerRow(answer, count, float(share.exact), share.shown, share.low, share.high)
        for answer, count, share in zip(survey.answers, tally.counts, shares, strict=True)
    ]


def size_of(lines: Sequence[AnswerRow]) -> str:
    """How tall the figure of so many answers is."""
    return next((size for most, size in _SIZES if len(lines) <= most), "long")


def figure_of(lines: Sequence[AnswerRow]) -> Figure:
    """A dot with its interval for each answer, in the order of the survey."""
    return as_figure(
        [_dots(lines)],
        showlegend=False,
        margin={"l": 16, "r": 16, "t": 12, "b": 48},
        xaxis={"title": {"text": _("share, in %")}, "range": [-2, 102]},
        yaxis={"autorange": "reversed", "showgrid": False, "type": "category"},
    )


def _dots(lines: Sequence[AnswerRow]) -> Any:
    found = [(100 * line.share, *map(float, line.ends)) for line in lines]
    return go.Scatter(
        x=[share for share, _low, _high in found],
        y=_labels(lines),
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, high - share) for share, _low, high in found],
            "arrayminus": [max(0.0, share - low) for share, low, _high in found],
        },
        mode="markers",
        marker={"size": 10},
        meta={"role": "1"},
        text=[f"{line.shown} ({line.interval})" for line in lines],
        hovertemplate="%{text}<extra></extra>",
    )


_LONGEST_LABEL = 24


def _labels(lines: Sequence[AnswerRow]) -> list[str]:
    """Short, inert, and each another one: equal labels would be one row."""
    short = [inert(line.answer, _LONGEST_LABEL) for line in lines]
    if len(set(short)) == len(short):
        return short
    return [f"{place}. {label}" for place, label in enumerate(short, start=1)]
