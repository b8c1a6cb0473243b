"""Which datasets could be asked about once, and which were discarded before anybody could.

Discarded ones were held ever since they came, and then archived: they count for no comparison, and
their files may go. What was asked about is another matter, held and archived as it may be: its
people keep what was spent.
"""

from django.db.models import Exists, OuterRef, Q

from dpgov.datasets.models import Dataset

# The same in the functions and triggers of the database, where the dataset is `d`.
IS_DISCARDED = "(d.held_at IS NOT NULL AND d.archived_at IS NOT NULL AND d.opened_at IS NULL)"


def discarded(dataset: str = "") -> Q:
    """Which datasets were discarded, by the path to them.

    By `opened_at` alone, as they do not change any more: whoever discards one looks at
    `could_be_asked` and opens, for good, what that is true of.
    """
    moments = {"held_at": False, "archived_at": False, "opened_at": True}
    return Q(**{f"{dataset}{name}__isnull": is_null for name, is_null in moments.items()})


def could_be_asked() -> Q:
    """Which datasets were opened, here or in what a restored backup lacks.

    Of the latter nothing tells but what an officer booked for it. That of a dataset which shares
    the budget of an open one may be the other's, and stays on that.
    """
    opened = Dataset.objects.filter(opened_at__isnull=False, budget=OuterRef("budget"))
    booked = Q(budget__spent_nano__gt=0) | Q(budget__reserved_nano__gt=0)
    return Q(opened_at__isnull=False) | (booked & ~Q(Exists(opened)))


def was_asked(dataset: Dataset) -> bool:
    """Whether that is so of this one, as it is now: final for who holds the lock of its budget."""
    return Dataset.objects.filter(could_be_asked(), pk=dataset.pk).exists()
