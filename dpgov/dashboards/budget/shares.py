"""Who and what took how much of a budget in a range of time, or ever.

Of all time the tallies hold what was counted; the questions that they do not hold yet are added
here, in one statement with them, so that the sums are exact and do not tell when the sweeper was
there. Of a range, or under a filter, the questions themselves are added up, in one statement, too.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum, Value
from django.db.models.fields import BigIntegerField, CharField
from django.db.models.functions import Cast, TruncDate
from django.utils.translation import gettext as _

from dpgov.budgets.models import Allocation, Reservation
from dpgov.dashboards.chosen import ChosenQuestions
from dpgov.dashboards.purposes import NONE_STATED, UNSTATED, purpose
from dpgov.datasets.lineage import paid_by
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.mechanism import released_by
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.kinds import is_kind, kind_in_words, statistics_of
from dpgov.queries.models import Query, Tally
from dpgov.queries.wording.drawings import shown
from dpgov.queries.wording.words import joined
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may

_WHO = ("analyst", "analyst__name", "analyst__email")
_NOTHING = Value(0, output_field=BigIntegerField())
_SPENT_SUM = Sum("cost_nano", filter=Q(state__in=Query.CHARGED), default=0)
_RESERVED_SUM = Sum("cost_nano", filter=Q(state__in=Query.HOLDING), default=0)

Row = tuple[Any, int, int]
Sums = Sequence[tuple[tuple[UUID, str], int, int]]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was spent and what is reserved by person and kind; and what by person and day.

    `days` are of everybody: no name but one's own goes with them to who may not see the split.
    `names` are of everybody in either. `purposes` are what the allocations were granted for, with
    what was spent and is reserved under them; none for who may not see the split. All of them are
    of the questions that were asked from `first` on, and of all time where it is None.
    `beside_nano` is what this person's questions about other datasets took of the same budget: of
    derived ones, or of those that have it too; only of all time.
    """

    first: date | None
    sums: Sums
    days: Sequence[tuple[date, UUID, int]]
    names: Mapping[UUID, str]
    purposes: Sequence[Row]
    beside_nano: int

    def differs_from(self, dataset: Dataset) -> bool:
        """Whether the ledger says something else of all time than these questions add up to.

        As it does after a correction, or a question about a dataset that was derived from this one;
        of a divided budget, of which the fullest part counts, it says nothing else.
        """
        if self.first is not None or dataset.partition_column:
            return False
        return sum(spent + held for _of, spent, held in self.sums) != dataset.budget.committed_nano


@dataclass(frozen=True, slots=True)
class BudgetShare:
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


def taken_of(
    dataset: Dataset, membership: Membership, first: date | None, chosen: ChosenQuestions
) -> Taken:
    """Of what this person may add up and means, from `first` on.

    One statement, after those by which `chosen` finds the kinds that name a statistic.
    """
    everybody = may(membership, Permission.VIEW_ALL_QUERIES) or dataset.partition_column
    person = None if everybody else membership.user
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    rows = list(_rows(dataset, person, first, chosen, split=split))
    return Taken(
        first,
        [((who, key), int(a), int(b)) for what, who, _n, _e, key, a, b in rows if what == "kind"],
        [
            (date.fromisoformat(key), who, int(nano))
            for what, who, _n, _e, key, nano, _b in rows
            if what == "day"
        ],
        {who: str(name or email) for what, who, name, email, *_rest in rows if what != "purpose"},
        [(key, int(a), int(b)) for what, *_w, key, a, b in rows if what == "purpose"],
        sum(int(a) + int(b) for what, *_w, a, b in rows if what == "beside"),
    )


def shares_by_analyst(dataset: Dataset, membership: Membership, taken: Taken) -> list[BudgetShare]:
    """Who committed how much: names for who may see them, else only "you" and "others"."""
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        sums = _by(0, taken.sums)
        sums.sort(key=lambda row: (-row[1], taken.names[row[0]]))
        return [
            BudgetShare(taken.names[key], spent, held, query=urlencode({"analyst": str(key)}))
            for key, spent, held in sums
        ]
    own = sum(spent + held for _, spent, held in _of(membership.user, taken.sums))
    own += taken.beside_nano
    # The ledger knows no more of a range than its questions do; and what was asked of different
    # parts adds up to more than the dataset has lost.
    of_questions = taken.first is not None or dataset.partition_column
    everybody = (
        sum(nano for _day, _who, nano in taken.days)
        if of_questions
        else dataset.budget.committed_nano
    )
    return [BudgetShare(_("You"), own), BudgetShare(_("Everybody else"), max(0, everybody - own))]


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


def shares_by_mechanism(
    dataset: Dataset, membership: Membership, taken: Taken
) -> list[BudgetShare]:
    """What was asked and how it was answered, of the questions that this person may see."""
    everybody = may(membership, Permission.VIEW_ALL_QUERIES)
    sums = _by(1, taken.sums if everybody else _of(membership.user, taken.sums))
    mode = dataset.budget.currency.mode
    shares = [
        BudgetShare(
            kind_in_words(kind),
            spent,
            held,
            mechanisms_in_words(kind, mode),
            query=urlencode({"statistic": kind}) if is_kind(kind) else "",
        )
        for kind, spent, held in sums
    ]
    return sorted(shares, key=lambda share: (-share.total_nano, share.name))


def shares_by_purpose(taken: Taken) -> list[BudgetShare]:
    """What allocations were granted for, the largest first; what no allocation took comes last.

    Of all time from the ledger's own balances. Nothing where there is no allocation.
    """
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for words, spent, held in taken.purposes:
        found[words] = (found[words][0] + spent, found[words][1] + held)
    stated = [BudgetShare(words, *sums, query=_of_purpose(words)) for words, sums in found.items()]
    stated.sort(key=lambda share: (-share.total_nano, share.name))
    spent = sum(row[1] for row in taken.sums) - sum(share.spent_nano for share in stated)
    held = sum(row[2] for row in taken.sums) - sum(share.reserved_nano for share in stated)
    rest = BudgetShare(str(NONE_STATED), max(0, spent), max(0, held), query=_of_purpose(UNSTATED))
    return [*stated, rest] if stated and rest.total_nano else stated


def _of_purpose(words: str) -> str:
    return urlencode({"purpose": words})


def mechanisms_in_words(kind: str, mode: Mode) -> str:
    """What the statistics of a kind are released by: "discrete Laplace and report noisy max"."""
    by = dict.fromkeys(released_by(STATISTICS[key], mode) for key in statistics_of(kind))
    return joined([joined([shown(name) for name in names], "or") for names in by])


def _rows(
    dataset: Dataset,
    person: User | None,
    first: date | None,
    chosen: ChosenQuestions,
    *,
    split: bool,
) -> QuerySet[Any, Any]:
    """By (person, kind), of everybody or one person; of everybody by (person, day); by purpose."""
    every = chosen.narrow(
        Query.objects.filter(dataset=dataset, state__in=Query.COMMITTED)
    ).order_by()
    if first is not None:
        every = every.filter(submitted_at__gte=datetime.combine(first, time.min, UTC))
    day = Cast(TruncDate("submitted_at", tzinfo=UTC), CharField())
    daily = every.values_list(Value("day"), *_WHO, day)
    is_all = first is None and not chosen.chips
    kinds = _ever([dataset.pk], person) if is_all else [_asked(every, person)]
    others = Dataset.objects.filter(paid_by(dataset.budget_id)).exclude(pk=dataset.pk).values("pk")
    beside = _ever(others, person, "beside") if is_all and person else []
    # The ledger adds up what allocations took; of a range only their questions are known.
    purposes = _granted(dataset, None if is_all else every) if split else []
    by_day = daily.annotate(spent=Sum("cost_nano"), reserved=_NOTHING)
    return by_day.union(*kinds, *beside, *purposes, all=True)


def _ever(
    datasets: Sequence[UUID] | QuerySet[Any, Any], person: User | None, what: str = "kind"
) -> list[QuerySet[Any, Any]]:
    """The tallies and what they do not hold yet."""
    fresh = Query.objects.filter(dataset__in=datasets, state__in=Query.COMMITTED, counted=False)
    kept = Tally.objects.filter(dataset__in=datasets, nano__gt=0).order_by()
    kept = kept.filter(analyst=person) if person else kept
    counted = kept.values_list(Value(what), *_WHO, "kind")
    return [
        counted.annotate(spent=Sum("nano"), reserved=_NOTHING),
        _asked(fresh.order_by(), person, what),
    ]


def _asked(queries: QuerySet[Query], person: User | None, what: str = "kind") -> QuerySet[Any, Any]:
    own = queries.filter(analyst=person) if person else queries
    rows = own.values_list(Value(what), *_WHO, "kind")
    return rows.annotate(spent=_SPENT_SUM, reserved=_RESERVED_SUM)


def _granted(dataset: Dataset, queries: QuerySet[Query] | None) -> list[QuerySet[Any, Any]]:
    """Allocations by their purpose with their balances; or with what these questions took."""
    granted = Allocation.objects.filter(dataset_budget=dataset.budget).order_by()
    rows = granted.values_list(Value("purpose"), "budget", Value(""), Value(""), purpose())
    if queries is None:
        return [rows.annotate(spent=F("budget__spent_nano"), reserved=F("budget__reserved_nano"))]
    charged = rows.filter(budget__reservations__query_id__in=queries.values("pk"))
    return [
        rows.annotate(spent=_NOTHING, reserved=_NOTHING),
        charged.annotate(
            spent=_held_sum(Reservation.State.SETTLED), reserved=_held_sum(Reservation.State.HELD)
        ),
    ]


def _held_sum(state: str) -> Sum:
    holds = "budget__reservations"
    return Sum(f"{holds}__amount_nano", filter=Q(**{f"{holds}__state": state}), default=0)


def _of(person: User, sums: Sums) -> Sums:
    return [row for row in sums if row[0][0] == person.pk]


def _by(place: int, sums: Sums) -> list[Row]:
    """Added up by person (0) or by kind (1)."""
    found: dict[Any, tuple[int, int]] = {}
    for key, spent, reserved in sums:
        before = found.get(key[place], (0, 0))
        found[key[place]] = (before[0] + spent, before[1] + reserved)
    return [(key, spent, reserved) for key, (spent, reserved) in found.items()]
