"""The one range of time of all dashboards: 7, 30 or 90 days, or all.

It stands in the address, so that a link shows what its sender saw; whoever chose one finds it on
every dashboard that they open next, until they choose another or sign out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

CHOICES = ("7", "30", "90", "all")
USUAL = "30"
_CHOSEN = "range"


@dataclass(frozen=True, slots=True)
class Span:
    """From `first`, None for all there is, to `today`; `text` as in the address."""

    text: str
    today: date

    @classmethod
    def read(cls, data: Mapping[str, str], today: date, usual: str = USUAL) -> "Span":
        """From an address; the usual one for whatever is none."""
        text = data.get("range", "")
        return cls(text if text in CHOICES else usual, today)

    @classmethod
    def of(cls, request: HttpRequest, today: date) -> "Span":
        """From the address; else what this person chose last, on whatever dashboard."""
        chosen = str(request.session.get(_CHOSEN, ""))
        span = cls.read(request.GET, today, usual=chosen if chosen in CHOICES else USUAL)
        if span.text != (chosen or USUAL):
            request.session[_CHOSEN] = span.text
        return span

    @property
    def first(self) -> date | None:
        """The first day, so that the days are as many as it says, today included."""
        return None if self.text == "all" else self.today - timedelta(days=int(self.text) - 1)

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """(as in the address, in words, whether it is this one)."""
        return [(one, _word(one), one == self.text) for one in CHOICES]


def _word(text: str) -> str:
    return _("All") if text == "all" else _("%(days)s days") % {"days": text}
