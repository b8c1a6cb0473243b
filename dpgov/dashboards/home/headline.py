"""The one sentence at the top of an owner's and an officer's morning."""

from collections.abc import Sequence
from datetime import date, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dpgov.budgets.windows import window_end
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.datasets.status import Status

_SOON = timedelta(days=90)


def headline(found: Sequence[Forecast], today: date) -> str:
    """What is used up, and what ends within three months: "2 budgets end before June".

    A budget counts once, however many datasets about the same people have it.
    """
    by_budget = {one.dataset.budget_id: one for one in found}.values()
    used = sum(one.status is Status.USED_UP for one in by_budget)
    ends = sorted(day for one in by_budget if (day := one.ends_on) and day <= today + _SOON)
    sentences = [_used_up(used)] if used else []
    if ends:
        sentences.append(_ending(ends, today))
    elif not used and found:
        sentences.append(_("No budget ends within the next three months."))
    return " ".join(sentences)


def _used_up(number: int) -> str:
    words = ngettext("%(number)s budget is used up.", "%(number)s budgets are used up.", number)
    return words % {"number": number}


def _ending(ends: Sequence[date], today: date) -> str:
    """Before the month that begins after the last of them."""
    after = window_end("month", ends[-1].replace(day=1))
    same_year = after.year == today.year
    month = pgettext("month", "F") if same_year else pgettext("month of a year", "F Y")
    words = ngettext(
        "%(number)s budget ends before %(month)s at its present pace.",
        "%(number)s budgets end before %(month)s at their present pace.",
        len(ends),
    )
    return words % {"number": len(ends), "month": date_format(after, month)}
