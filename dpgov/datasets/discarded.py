"""Which datasets were discarded: held ever since they came, and then archived.

Nobody could ever ask about them, so they count for no comparison, and their files may go. What was
opened once is another matter, held and archived as it may be: its people keep what was spent.
"""

from django.db.models import Q

# The same in the functions and triggers of the database, where the dataset is `d`.
IS_DISCARDED = "(d.held_at IS NOT NULL AND d.archived_at IS NOT NULL AND d.opened_at IS NULL)"


def discarded(dataset: str = "") -> Q:
    """Which datasets were discarded, by the path to them."""
    moments = {"held_at": False, "archived_at": False, "opened_at": True}
    return Q(**{f"{dataset}{name}__isnull": is_null for name, is_null in moments.items()})
