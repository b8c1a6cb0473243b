"""Who and what took how much of a budget, however long its history is.

The tallies hold what was counted; the questions that they do not hold yet are added here, in one
statement with them, so that the sums are exact and do not tell when the sweeper was there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.fields import BigIntegerField
from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.mechanism import released_by
from dpgov.queries.kinds import kind_in_words, statistics_of
from dpgov.queries.models import Query, Tally
from dpgov.queries.wording.drawings import shown
from dpgov.queries.wording.words import joined
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may

_SPENT_SUM = Sum("cost_nano", filter=Q(state__in=Query.CHARGED), default=0)
_RESERVED_SUM = Sum("cost_nano", filter=Q(state__in=Query.HOLDING), default=0)

Row = tuple[Any, int, int]
Sums = Sequence[tuple[tuple[UUID, str], int, int]]


@dataclass(frozen=True, slots=True)
class Share:
    """A named part of a budget; `noise` where the part is a kind of question."""

    name: str
    spent_nano: int
    reserved_nano: int = 0
    noise: str = ""

    @property
    def total_nano(self) -> int:
        """Spent and reserved together."""
        return self.spent_nano + self.reserved_nano


def sums_of(dataset: Dataset, membership: Membership) -> Sums:
    """What was spent and what is reserved by person and kind, of what this person may add up."""
    everybody = may(membership, Permission.VIEW_ALL_QUERIES) or dataset.partition_column
    return _sums(dataset, None if everybody else membership.user)


def shares_by_analyst(dataset: Dataset, membership: Membership, taken: Sums) -> list[Share]:
    """Who committed how much: names for who may see them, else only "you" and "others"."""
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        sums = _by(0, taken)
        people = User.objects.in_bulk([key for key, _, _ in sums])
        sums.sort(key=lambda row: (-row[1], people[row[0]].email))
        return [Share(_name(people[key]), spent, reserved) for key, spent, reserved in sums]
    own = sum(spent + held for _, spent, held in _by(0, _of(membership.user, taken)))
    everybody = dataset.budget.committed_nano
    if dataset.partition_column:
        # What was asked of different parts adds up to more than the dataset has lost.
        everybody = sum(spent + held for _, spent, held in _by(0, taken))
    return [Share(_("You"), own), Share(_("Everybody else"), max(0, everybody - own))]


def _name(person: User) -> str:
    return str(person.name or person.email)


def shares_by_mechanism(dataset: Dataset, membership: Membership, taken: Sums) -> list[Share]:
    """What was asked and how it was answered, of the questions that this person may see."""
    everybody = may(membership, Permission.VIEW_ALL_QUERIES)
    sums = _by(1, taken if everybody else _of(membership.user, taken))
    mode = dataset.budget.currency.mode
    shares = [
        Share(kind_in_words(kind), spent, held, mechanisms_in_words(kind, mode))
        for kind, spent, held in sums
    ]
    return sorted(shares, key=lambda share: (-share.total_nano, share.name))


def mechanisms_in_words(kind: str, mode: Mode) -> str:
    """What the statistics of a kind are released by: "discrete Laplace and report noisy max"."""
    by = dict.fromkeys(released_by(facts, mode) for facts in statistics_of(kind))
    return joined([joined([shown(name) for name in names], "or") for names in by])


def _sums(dataset: Dataset, person: User | None = None) -> Sums:
    """By (person, kind), of everybody or one person; the tallies and what they do not hold yet."""
    asked: QuerySet[Query] = Query.objects.filter(dataset=dataset, counted=False)
    asked = asked.filter(state__in=(*Query.HOLDING, *Query.CHARGED)).order_by()
    kept = Tally.objects.filter(dataset=dataset, nano__gt=0).order_by()
    if person is not None:
        asked, kept = asked.filter(analyst=person), kept.filter(analyst=person)
    nothing = Value(0, output_field=BigIntegerField())
    by = ("analyst", "kind")
    counted = kept.values_list(*by).annotate(spent=Sum("nano"), reserved=nothing)
    fresh = asked.values_list(*by).annotate(spent=_SPENT_SUM, reserved=_RESERVED_SUM)
    return [((who, kind), int(a), int(b)) for who, kind, a, b in counted.union(fresh, all=True)]


def _of(person: User, sums: Sums) -> Sums:
    return [row for row in sums if row[0][0] == person.pk]


def _by(place: int, sums: Sums) -> list[Row]:
    """Added up by person (0) or by kind (1)."""
    found: dict[Any, tuple[int, int]] = {}
    for key, spent, reserved in sums:
        before = found.get(key[place], (0, 0))
        found[key[place]] = (before[0] + spent, before[1] + reserved)
    return [(key, spent, reserved) for key, (spent, reserved) in found.items()]
