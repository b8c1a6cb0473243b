"""Calendar months in UTC, as questions and refusals are counted."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from dpgov.budgets.windows import window_end
from dpgov.operation import clock

# Every month has one before it and one after it.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month in UTC."""

    first: date

    @classmethod
    def read(cls, text: str) -> "Month":
        """From "2026-11"; the present month for whatever is none, or is out of all calendars."""
        try:
            first = date.fromisoformat(f"{text}-01")
        except ValueError:
            first = date.min
        if not _FIRST_YEAR <= first.year < _LAST_YEAR:
            first = clock.today().replace(day=1)
        return cls(first)

    @property
    def after(self) -> date:
        """The first day that is not in it any more."""
        return window_end("month", self.first)

    @property
    def text(self) -> str:
        """As it stands in an address: "2026-11"."""
        return f"{self.first:%Y-%m}"

    @property
    def earlier(self) -> str:
        """The month before, in an address."""
        return self.before().text

    @property
    def later(self) -> str:
        """The month after, in an address; empty when it has not begun."""
        return f"{self.after:%Y-%m}" if self.after <= clock.today() else ""

    def before(self) -> "Month":
        """The month before."""
        return Month((self.first - timedelta(days=1)).replace(day=1))

    def span(self) -> tuple[datetime, datetime]:
        """Its beginning and its end."""
        begin, end = (datetime.combine(day, time.min, UTC) for day in (self.first, self.after))
        return begin, end
