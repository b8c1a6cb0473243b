"""What happened to a budget besides questions: limits moved, versions came, questions were refused.

For owners and officers; refusals of others are nothing for analysts. Each leads to where it is
told: for officers to the entries of that day in the log; for owners to the page of such changes.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.audit.actions import Action
from dpgov.budgets.words import amount
from dpgov.dashboards.budget.figures import DayMark
from dpgov.dashboards.forecast.daily import Days
from dpgov.dashboards.refused import refusals_link
from dpgov.datasets.models import Dataset
from dpgov.queries.pictures.figures import Leads


def marks_of(days: Days, dataset: Dataset, first: date | None, *, reads_log: bool) -> list[DayMark]:
    """The oldest first, from the first day on."""
    found = [*_limits(days, dataset, reads_log), *_versions(days, dataset, reads_log)]
    found += _refused(days, dataset)
    return sorted(
        (mark for mark in found if first is None or mark.day >= first),
        key=lambda mark: (mark.day, mark.words),
    )


def _limits(days: Days, dataset: Dataset, reads_log: bool) -> Iterator[DayMark]:
    """Raising takes two persons and is among their requests; an owner lowers a limit alone."""
    raised, limits = (
        reverse("oversight:approvals"),
        reverse("limits:limits", args=[dataset.slug]),
    )
    for day, nano in days.raised.items():
        words = _("Limit raised by %(amount)s") if nano > 0 else _("Limit lowered by %(amount)s")
        # Raising is recorded as the approval that it was.
        action = Action.CHANGE_APPROVED if nano > 0 else Action.BUDGET_LIMIT_CHANGED
        page = raised if nano > 0 else limits
        if nano:
            words %= {"amount": amount(abs(nano), dataset.budget.currency)}
            href = _in_log(dataset, action, day) if reads_log else page
            yield DayMark(day, words, href, days.at.get(("limit", day)))


def _versions(days: Days, dataset: Dataset, reads_log: bool) -> Iterator[DayMark]:
    page = reverse("datasets:versions", args=[dataset.slug])
    for day, number in days.versions.items():
        words = ngettext("%(number)s new version", "%(number)s new versions", number)
        action = Action.DATASET_VERSION_ADDED
        href = _in_log(dataset, action, day) if reads_log else page
        yield DayMark(day, words % {"number": number}, href, days.at.get(("versions", day)))


def _in_log(dataset: Dataset, action: Action, day: date) -> str:
    """Of a day in UTC; the log is searched by days of this place, of which it touches two."""
    begin, end = (datetime.combine(day, at, UTC) for at in (time.min, time.max))
    since, until = (timezone.localtime(at).date() for at in (begin, end))
    search = f"action:{action.value} dataset:{dataset.slug} since:{since} until:{until}"
    return f"{reverse('oversight:audit_log')}?{urlencode({'q': search})}"


def _refused(days: Days, dataset: Dataset) -> Iterator[DayMark]:
    leads = Leads(urlencode({"dataset": str(dataset.pk)}), reverse("dashboards:history"))
    for day, number in days.refused.items():
        words = ngettext("%(number)s question refused", "%(number)s questions refused", number)
        yield DayMark(day, words % {"number": number}, refusals_link(leads, day))
