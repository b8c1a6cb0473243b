"""Who and what took how much of a budget, however long its history is.

The tallies hold what was counted; the questions that they do not hold yet are added here, in one
statement with them, so that the sums are exact and do not tell when the sweeper was there.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.fields import BigIntegerField, CharField
from django.db.models.functions import Cast, TruncDate
from django.utils.translation import gettext as _

from dpgov.budgets.models import Allocation
from dpgov.dashboards.purposes import NONE_STATED, UNSTATED, purpose
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.mechanism import released_by
from dpgov.queries.kinds import is_kind, kind_in_words, statistics_of
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
class Taken:
    """What was spent and what is reserved by person and kind, ever; and what by person and day.

    `days` are of the range that the page shows, of everybody: no name but one's own goes with them
    to who may not see the split. `names` are of everybody in either. `purposes` are what the
    allocations were granted for, with what was spent and is reserved under them; none for who may
    not see the split.
    """

    sums: Sums
    days: Sequence[tuple[date, UUID, int]]
    names: Mapping[UUID, str]
    purposes: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Share:
    """A named part of a budget; `noise` where the part is a kind of question.

    `query` is the filter of the list of questions that finds it; empty where there is none.
    """

    name: str
    spent_nano: int
    reserved_nano: int = 0
    noise: str = ""
    query: str = ""

    @property
    def total_nano(self) -> int:
        """Spent and reserved together."""
        return self.spent_nano + self.reserved_nano


def taken_of(dataset: Dataset, membership: Membership, first: date | None) -> Taken:
    """Of what this person may add up; by day from `first` on. One statement."""
    everybody = may(membership, Permission.VIEW_ALL_QUERIES) or dataset.partition_column
    rows = list(_rows(dataset, None if everybody else membership.user, first))
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    return Taken(
        [((who, key), int(a), int(b)) for what, who, _n, _e, key, a, b in rows if what == "kind"],
        [
            (date.fromisoformat(key), who, int(nano))
            for what, who, _n, _e, key, nano, _b in rows
            if what == "day"
        ],
        {who: str(name or email) for what, who, name, email, *_rest in rows if what != "purpose"},
        [(key, int(a), int(b)) for what, *_w, key, a, b in rows if split and what == "purpose"],
    )


def shares_by_analyst(dataset: Dataset, membership: Membership, taken: Taken) -> list[Share]:
    """Who committed how much: names for who may see them, else only "you" and "others"."""
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        sums = _by(0, taken.sums)
        sums.sort(key=lambda row: (-row[1], taken.names[row[0]]))
        return [
            Share(taken.names[key], spent, held, query=urlencode({"analyst": str(key)}))
            for key, spent, held in sums
        ]
    own = sum(spent + held for _, spent, held in _by(0, _of(membership.user, taken.sums)))
    everybody = dataset.budget.committed_nano
    if dataset.partition_column:
        # What was asked of different parts adds up to more than the dataset has lost.
        everybody = sum(spent + held for _, spent, held in _by(0, taken.sums))
    return [Share(_("You"), own), Share(_("Everybody else"), max(0, everybody - own))]


def days_by_analyst(membership: Membership, taken: Taken) -> dict[str, Counter[date]]:
    """What each took on which day, who took most first; for others "you" and "everybody else"."""
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    found: defaultdict[str, Counter[date]] = defaultdict(Counter)
    for day, who, nano in taken.days:
        own = _("You") if who == membership.user_id else _("Everybody else")
        found[taken.names[who] if split else own][day] += nano
    return dict(sorted(found.items(), key=lambda one: -one[1].total()))


def queries_by_analyst(membership: Membership, taken: Taken) -> dict[str, str]:
    """The filter of the list that finds each one's questions; none for what is of several."""
    if not may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        return {_("You"): ""}
    people = {who for _day, who, _nano in taken.days}
    named = [(taken.names[who], urlencode({"analyst": str(who)})) for who in people]
    alike = Counter(name for name, _query in named)
    return {name: query for name, query in named if alike[name] == 1}


def shares_by_mechanism(dataset: Dataset, membership: Membership, taken: Taken) -> list[Share]:
    """What was asked and how it was answered, of the questions that this person may see."""
    everybody = may(membership, Permission.VIEW_ALL_QUERIES)
    sums = _by(1, taken.sums if everybody else _of(membership.user, taken.sums))
    mode = dataset.budget.currency.mode
    shares = [
        Share(
            kind_in_words(kind),
            spent,
            held,
            mechanisms_in_words(kind, mode),
            query=urlencode({"statistic": kind}) if is_kind(kind) else "",
        )
        for kind, spent, held in sums
    ]
    return sorted(shares, key=lambda share: (-share.total_nano, share.name))


def shares_by_purpose(taken: Taken) -> list[Share]:
    """What allocations were granted for, the largest first; what no allocation took comes last.

    From the ledger's own balances. Nothing where there is no allocation.
    """
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for words, spent, held in taken.purposes:
        found[words] = (found[words][0] + spent, found[words][1] + held)
    stated = [Share(words, *sums, query=_of_purpose(words)) for words, sums in found.items()]
    stated.sort(key=lambda share: (-share.total_nano, share.name))
    spent = sum(row[1] for row in taken.sums) - sum(share.spent_nano for share in stated)
    held = sum(row[2] for row in taken.sums) - sum(share.reserved_nano for share in stated)
    rest = Share(str(NONE_STATED), max(0, spent), max(0, held), query=_of_purpose(UNSTATED))
    return [*stated, rest] if stated and rest.total_nano else stated


def _of_purpose(words: str) -> str:
    return urlencode({"purpose": words})


def mechanisms_in_words(kind: str, mode: Mode) -> str:
    """What the statistics of a kind are released by: "discrete Laplace and report noisy max"."""
    by = dict.fromkeys(released_by(facts, mode) for facts in statistics_of(kind))
    return joined([joined([shown(name) for name in names], "or") for names in by])


def _rows(dataset: Dataset, person: User | None, first: date | None) -> QuerySet[Any, Any]:
    """By (person, kind), of everybody or one person: the tallies and what they do not hold yet.

    And of everybody by (person, day), and the balances of allocations by their purpose.
    """
    every = Query.objects.filter(dataset=dataset, state__in=(*Query.HOLDING, *Query.CHARGED))
    asked = every.filter(counted=False).order_by()
    kept = Tally.objects.filter(dataset=dataset, nano__gt=0).order_by()
    if person is not None:
        asked, kept = asked.filter(analyst=person), kept.filter(analyst=person)
    if first is not None:
        every = every.filter(submitted_at__gte=datetime.combine(first, time.min, UTC))
    nothing = Value(0, output_field=BigIntegerField())
    by = ("analyst", "analyst__name", "analyst__email")
    day = Cast(TruncDate("submitted_at", tzinfo=UTC), CharField())
    counted = kept.values_list(Value("kind"), *by, "kind")
    fresh = asked.values_list(Value("kind"), *by, "kind")
    daily = every.order_by().values_list(Value("day"), *by, day)
    granted = Allocation.objects.filter(dataset_budget=dataset.budget).order_by()
    balances = ("budget__spent_nano", "budget__reserved_nano")
    return counted.annotate(spent=Sum("nano"), reserved=nothing).union(
        fresh.annotate(spent=_SPENT_SUM, reserved=_RESERVED_SUM),
        daily.annotate(spent=Sum("cost_nano"), reserved=nothing),
        granted.values_list(Value("purpose"), "budget", Value(""), Value(""), purpose(), *balances),
        all=True,
    )


def _of(person: User, sums: Sums) -> Sums:
    return [row for row in sums if row[0][0] == person.pk]


def _by(place: int, sums: Sums) -> list[Row]:
    """Added up by person (0) or by kind (1)."""
    found: dict[Any, tuple[int, int]] = {}
    for key, spent, reserved in sums:
        before = found.get(key[place], (0, 0))
        found[key[place]] = (before[0] + spent, before[1] + reserved)
    return [(key, spent, reserved) for key, (spent, reserved) in found.items()]
