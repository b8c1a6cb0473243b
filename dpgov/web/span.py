"""The one range of time of all dashboards: 7, 30 or 90 days, or all.

It stands in the address, so that a link shows what its sender saw; whoever chose one finds it on
every dashboard that they open next, until they choose another or sign out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

CHOICES = ("7", "30", "90", "all")
USUAL = "30"
_CHOSEN = "range"
# Of an address: what every dashboard reads, each as far as it means something there.
FILTERS = ("dataset", "analyst", "statistic", "purpose")


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

    @classmethod
    def of_list(cls, request: HttpRequest, today: date) -> "Span":
        """Of a page that is a list: shortened by its address alone, never by an earlier choice."""
        chosen = request.GET.get("range", "") in CHOICES
        return cls.of(request, today) if chosen else cls("all", today)

    @property
    def first(self) -> date | None:
        """The first day, so that the days are as many as it says, today included."""
        return None if self.text == "all" else self.today - timedelta(days=int(self.text) - 1)

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """(as in the address, in words, whether it is this one)."""
        return [(one, _word(one), one == self.text) for one in CHOICES]

    @property
    def words(self) -> str:
        """As it stands beside the title of what it cuts."""
        if self.text == "all":
            return _("since the beginning")
        return _("last %(days)s days") % {"days": self.text}


def with_range(data: QueryDict, today: date) -> QueryDict:
    """What was asked for; a range in it says from when, unless a day does."""
    span = Span.read(data, today, usual="all")
    if span.first is None or data.get("since"):
        return data
    known = data.copy()
    known["since"] = span.first.isoformat()
    return known


def taken_along(data: Mapping[str, str]) -> dict[str, str]:
    """Of an address, what goes along to the next dashboard: the range, and the filters."""
    found = {name: data.get(name, "") for name in ("range", *FILTERS)}
    return {name: text for name, text in found.items() if text}


def _word(text: str) -> str:
    return _("All") if text == "all" else _("%(days)s days") % {"days": text}
