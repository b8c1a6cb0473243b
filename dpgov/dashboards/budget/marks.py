"""What happened to a budget besides questions: limits moved, versions came, questions were refused.

For owners and officers; refusals of others are nothing for analysts.
"""

from collections.abc import Iterator
from datetime import date
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.words import amount
from dpgov.dashboards.budget.figures import Mark
from dpgov.dashboards.forecast.daily import Days
from dpgov.dashboards.refused import refusals_link
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Currency
from dpgov.queries.pictures.figures import Leads


def marks_of(days: Days, dataset: Dataset, first: date | None) -> list[Mark]:
    """The oldest first, from the first day on; what has a page of its own leads there."""
    found = [*_limits(days, dataset.budget.currency), *_versions(days, dataset)]
    found += _refused(days, dataset)
    return sorted(
        (mark for mark in found if first is None or mark.day >= first),
        key=lambda mark: (mark.day, mark.words),
    )


def _limits(days: Days, currency: Currency) -> Iterator[Mark]:
    for day, nano in days.raised.items():
        words = _("Limit raised by %(amount)s") if nano > 0 else _("Limit lowered by %(amount)s")
        if nano:
            yield Mark(day, words % {"amount": amount(abs(nano), currency)})


def _versions(days: Days, dataset: Dataset) -> Iterator[Mark]:
    href = reverse("datasets:detail", args=[dataset.slug])
    for day, number in days.versions.items():
        words = ngettext("%(number)s new version", "%(number)s new versions", number)
        yield Mark(day, words % {"number": number}, href)


def _refused(days: Days, dataset: Dataset) -> Iterator[Mark]:
    leads = Leads(urlencode({"dataset": str(dataset.pk)}), reverse("dashboards:history"))
    for day, number in days.refused.items():
        words = ngettext("%(number)s question refused", "%(number)s questions refused", number)
        yield Mark(day, words % {"number": number}, refusals_link(leads, day))
