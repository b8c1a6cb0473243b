"""A list that may be very long shows its newest questions; filters lead to older ones.

So counting, sorting and turning pages take as long after a million questions as after thousands.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

from dpgov.queries.models import Query

MOST = 1_000

# Django's own class takes no argument when it runs.
if TYPE_CHECKING:
    _Paginator = Paginator[Query]
else:
    _Paginator = Paginator


def newest(queries: QuerySet[Query]) -> QuerySet[Query]:
    """The newest of them, to be sorted by something else."""
    ids = queries.order_by("-submitted_at", "-id").values("pk")[:MOST]
    rows = Query.objects.filter(pk__in=ids)
    return rows.select_related("dataset__budget", "analyst", "version")


class NewestPages(_Paginator):
    """Pages over the newest questions; `is_cut` says that there are older ones."""

    def __init__(self, rows: Any, per_page: int, *, of: QuerySet[Query]) -> None:
        super().__init__(rows, per_page)
        self._found = of.order_by("-submitted_at", "-id").values("pk")[: MOST + 1].count()

    @cached_property
    def count(self) -> int:
        """How many are listed."""
        return min(self._found, MOST)

    @property
    def is_cut(self) -> bool:
        """Whether older ones are left out."""
        return self._found > MOST
