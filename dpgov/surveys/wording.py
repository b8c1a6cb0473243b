"""A survey in words and numbers: the rule as coins, what is expected, what came of it.

Everything follows from thresholds and from counts of randomised reports, which are public.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.local.estimate import moved_by, share_of, widest
from dpgov.privacy.local.randomiser import LocalKind, Randomiser
from dpgov.queries.wording.plotting import Figure, as_figure, inert
from dpgov.surveys.models import Survey

_LARGEST_DENOMINATOR = 10
_SIZES = ((5, "small"), (9, "medium"), (14, "tall"))


@dataclass(frozen=True, slots=True)
class Rule:
    """How an answer is randomised: sentences, the true ε, and by how much a report may tell."""

    sentences: tuple[str, ...]
    epsilon: str
    odds: str


@dataclass(frozen=True, slots=True)
class Line:
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
        return percent(f"{100 * self.share:.1f}")

    @property
    def interval(self) -> str:
        """Where the true share lies at 95%."""
        low, high = f"{100 * self.low:.1f}", percent(f"{100 * self.high:.1f}")
        return _("%(low)s to %(high)s") % {"low": low, "high": high}


def rule_of(randomiser: Randomiser) -> Rule:
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
    return Rule(sentences, as_text(randomiser.epsilon_nano), _odds(randomiser.odds))


def _odds(odds: Fraction) -> str:
    """ "3.01", rounded up: a report tells no more than is said."""
    hundredths = -(-100 * odds.numerator // odds.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02}"


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
    """A difference of shares: "4.3 points"."""
    number = f"{100 * float(share):.1f}"
    return ngettext("%(number)s point", "%(number)s points", 1 if number == "1.0" else 2) % {
        "number": number
    }


def expected_error(survey: Survey, reports: int = 0) -> str:
    """The ± of a share with so many reports, or with as many as its owner expects."""
    return points(widest(survey.randomiser, reports or survey.expected))


def liars_effect(survey: Survey, reports: int = 0) -> tuple[int, str]:
    """One in a hundred respondents, and how far they could move a share."""
    number = reports or survey.expected
    liars = max(1, number // 100)
    return liars, points(min(Fraction(1), moved_by(survey.randomiser, liars, number)))


def lines_of(survey: Survey) -> list[Line]:
    """The answers in the order of the survey; none before the first report."""
    tally = survey.tally
    if not tally.reports:
        return []
    shares = [share_of(survey.randomiser, count, tally.reports) for count in tally.counts]
    return [
        Line(answer, count, float(share.exact), share.shown, share.low, share.high)
        for answer, count, share in zip(survey.answers, tally.counts, shares, strict=True)
    ]


def size_of(lines: Sequence[Line]) -> str:
    """How tall the figure of so many answers is."""
    return next((size for most, size in _SIZES if len(lines) <= most), "long")


def figure_of(lines: Sequence[Line]) -> Figure:
    """A dot with its interval for each answer, in the order of the survey."""
    return as_figure(
        [_dots(lines)],
        showlegend=False,
        margin={"l": 16, "r": 16, "t": 12, "b": 48},
        xaxis={"title": {"text": _("share, in %")}, "range": [-2, 102]},
        yaxis={"autorange": "reversed", "showgrid": False, "type": "category"},
    )


def _dots(lines: Sequence[Line]) -> Any:
    return go.Scatter(
        x=[round(100 * line.share, 1) for line in lines],
        y=_labels(lines),
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [round(100 * max(0.0, line.high - line.share), 1) for line in lines],
            "arrayminus": [round(100 * max(0.0, line.share - line.low), 1) for line in lines],
        },
        mode="markers",
        marker={"size": 10},
        meta={"role": "1"},
        text=[f"{line.shown} ({line.interval})" for line in lines],
        hovertemplate="%{text}<extra></extra>",
    )


_LONGEST_LABEL = 24


def _labels(lines: Sequence[Line]) -> list[str]:
    """Short, inert, and each another one: equal labels would be one row."""
    short = [inert(line.answer, _LONGEST_LABEL) for line in lines]
    if len(set(short)) == len(short):
        return short
    return [f"{place}. {label}" for place, label in enumerate(short, start=1)]
