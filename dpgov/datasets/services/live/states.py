"""Which rows of a live table an answer speaks of, as far as its owners declared it; in words.

By versions and public moments alone. When a worker read the rows is kept nowhere.
"""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset, DatasetVersion


def last_refresh(dataset: Dataset) -> datetime | None:
    """When its owners last declared that a live table has other rows; null where they never did."""
    if dataset.live_id is None:
        return None
    newest = _refreshes(dataset).reverse()
    return newest.values_list("created_at", flat=True).first()


def rows_in_words(version: DatasetVersion, *, published: datetime | None, stored: bool) -> str:
    """Of an answer about this version, published at that moment; "" where its rows are a file.

    `stored`: it was made of a stored answer.
    """
    dataset = version.dataset
    if dataset.live_id is None:
        return ""
    if stored:
        about = _(
            "Version {number} of a live table, from the rows of the stored answer that this one "
            "was made of."
        )
    else:
        about = _(
            "Version {number} of a live table, from its rows at a moment after the question was "
            "asked."
        )
    told = [about.format(number=version.number)]
    refreshes = list(_refreshes(dataset).values_list("number", "created_at"))
    before = [at for number, at in refreshes if number <= version.number]
    if before:
        told.append(_at(_("They were declared refreshed on {moment} UTC."), before[-1]))
    later = [at for number, at in refreshes if number > version.number]
    if later and published is not None and later[0] <= published:
        while_it_waited = _(
            "While the question waited they were declared refreshed once more, on {moment} UTC, so "
            "that they may be those before or after."
        )
        told.append(_at(while_it_waited, later[0]))
    return " ".join(told)


def _at(pattern: str, moment: datetime) -> str:
    return pattern.format(moment=f"{moment:%Y-%m-%d %H:%M}")


def _refreshes(dataset: Dataset) -> QuerySet[DatasetVersion]:
    """Oldest first."""
    found = DatasetVersion.objects.filter(dataset=dataset.pk, refreshed_by__isnull=False)
    return found.order_by("number")
