"""What happened in one month: by dataset, by person, refused, nearly refused, decided, changed.

Read from questions, their charges, counted refusals, requests and the log, all by index; never
from data. Months are calendar months in UTC, as questions and refusals are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from dpgov.audit.selectors import rare_actions_between
from dpgov.budgets.together import as_one
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.oversight.log.words import in_words
from dpgov.oversight.month.asked import Asking, MonthSums, Square, asked_in
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.decisions import (
    Decided,
    Proof,
    decided_in,
    people_of,
    proof_of,
)
from dpgov.oversight.month.standing import QUIET, Stand, further_than, stands_of, worth_reading
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.models import Refusal
from dpgov.queries.pictures.cells import DayCount, said
from dpgov.tenants.models import Tenant, User

# What of hundreds of rows is shown.
_OF_DATASETS = ("tenant", "slug", "name", "created_at", "opened_at", "archived_at", "held_at")
_OF_BUDGETS = ("mode", "delta", "limit_nano", "spent_nano", "reserved_nano")
_Refusals = list[dict[str, Any]]


@dataclass(slots=True)
class MonthRow:
    """What one dataset was asked, or one person asked, in the month; amounts by their sign."""

    name: str
    slug: str = ""
    asked: int = 0
    amounts: Counter[Currency] = field(default_factory=Counter)
    free: int = 0
    unpaid: int = 0
    near: int = 0
    refused: int = 0
    by_owner: int = 0

    @property
    def taken(self) -> str:
        """What its questions took, reserved included: "ε 1.5", "ε 1.5 and ρ 0.02"."""
        by_sign: Counter[str] = Counter()
        for currency, nano in self.amounts.items():
            by_sign[currency.symbol] += nano
        words = [amount(n, _any(self.amounts, sign)) for sign, n in sorted(by_sign.items()) if n]
        if len(words) < 2:
            return words[0] if words else amount(0, PURE)
        return _("%(epsilon)s and %(rho)s") % {"epsilon": words[0], "rho": words[1]}


@dataclass(frozen=True, slots=True)
class RefusedQuestions:
    """Refusals of one person's questions about one dataset, for one reason.

    Said when it is read: a page shows a few of hundreds.
    """

    user: User
    of: Dataset
    code: str
    number: int
    largest_nano: int

    @property
    def person(self) -> str:
        """Their name."""
        return str(self.user)

    @property
    def dataset(self) -> str:
        """Its name."""
        return self.of.name

    @property
    def reason(self) -> str:
        """Why, in words."""
        return str(Refusal.Reason(self.code).label)

    @property
    def largest(self) -> str:
        """The most that one of them would have cost; a dash where it had no price."""
        return amount(self.largest_nano, self.of.budget.currency) if self.largest_nano else "–"

    @property
    def plain(self) -> str:
        """The same as a number; empty where it had no price."""
        return as_text(self.largest_nano) if self.largest_nano else ""

    @property
    def unit(self) -> str:
        """What that number is counted in."""
        return self.of.budget.currency.unit if self.largest_nano else ""


@dataclass(frozen=True, slots=True)
class Others:
    """A kind of entry in the log other than questions, how many, and the search for them."""

    action: str
    words: str
    number: int
    search: str


@dataclass(frozen=True, slots=True)
class MonthFigures:
    """Everything about the month, the busiest first.

    `further` are budgets that have no `stands`: nothing was taken of them in two months.
    """

    month: Month
    datasets: tuple[MonthRow, ...]
    people: tuple[MonthRow, ...]
    refusals: tuple[RefusedQuestions, ...]
    decisions: Mapping[str, int]
    steps: tuple[Others, ...]
    stands: tuple[Stand, ...] = ()
    decided: tuple[Decided, ...] = ()
    proof: Proof | None = None
    further: int = 0
    days: Mapping[date, tuple[int, int]] = field(default_factory=dict)
    cells: Sequence[DayCount] = ()

    @property
    def asked(self) -> int:
        """Questions that were accepted."""
        return sum(line.asked for line in self.datasets)

    @property
    def refused(self) -> int:
        """Questions that were refused."""
        return sum(one.number for one in self.refusals)

    @property
    def near(self) -> int:
        """Questions that cost nearly as much as one question may."""
        return sum(line.near for line in self.datasets)

    @property
    def nearly_spent(self) -> tuple[Stand, ...]:
        """Budgets of which a tenth or less was left at the end of the month, or is now."""
        return tuple(one for one in self.stands if one.is_nearly_spent)

    @property
    def by_owners(self) -> tuple[tuple[str, int], ...]:
        """Who asked as an analyst and was a data owner here as well, and how many questions."""
        return tuple((line.name, line.by_owner) for line in self.people if line.by_owner)


def figures_of(
    tenant: Tenant, month: Month, colour: str = "state", *, quiet: int | None = QUIET
) -> MonthFigures:
    """The month of a tenant, in eight short reads; `colour` is that of its `cells`.

    Of budgets of which nothing was taken in two months the first so many by name; None: all.
    """
    asked, refused = asked_in(tenant, month, colour), _refusals(tenant, month)
    every = Dataset.objects.filter(tenant=tenant).select_related("budget").order_by("name")
    every = every.only(*_OF_DATASETS, *(f"budget__{name}" for name in _OF_BUDGETS))
    named = Q(pk__in=as_one(_datasets(asked, refused)))
    datasets = {one.pk: one for one in worth_reading(every, month, named, quiet)}
    of_all = every.order_by().values("budget") if quiet is None else None
    stands = stands_of(datasets.values(), month, of_all)
    decided, decisions = decided_in(tenant.pk, month.span())
    users = User.objects.only("name", "email")
    people = users.in_bulk(_people(asked, refused) | people_of(decided))
    return MonthFigures(
        month=month,
        datasets=_lines(asked.by_dataset, refused, datasets, by="dataset_id"),
        people=_lines(asked.by_person, refused, people, by="analyst_id"),
        days=asked.by_day,
        cells=_cells(asked.squares, colour, datasets, people),
        refusals=tuple(_refused(row, datasets, people) for row in refused),
        decisions=decisions,
        decided=tuple(Decided(one, people) for one in decided),
        stands=stands,
        further=further_than(stands, datasets.values()),
        proof=proof_of(tenant.pk, month.span()[1]),
        steps=tuple(
            Others(action, in_words(action), number, _search(action, month))
            for action, number in rare_actions_between(tenant.pk, *month.span())
        ),
    )


def _cells(
    squares: Sequence[Square],
    colour: str,
    datasets: Mapping[UUID, Dataset],
    people: Mapping[Any, User],
) -> list[DayCount]:
    """In words, the oldest first. Each word is said once, however many squares have it."""
    names: Mapping[Any, Any] = datasets if colour == "dataset" else people
    by_key = colour in ("dataset", "analyst")
    words = {
        key: said(colour, UUID(key) if by_key else key, str(names[UUID(key)]) if by_key else "")
        for key in {one.key for one in squares}
    }
    known = {None: ""} | {key: dataset.name for key, dataset in datasets.items()}
    found = [
        DayCount(day, dataset, known[dataset], *words[key], number, nano)
        for dataset, day, key, number, nano in squares
    ]
    return sorted(found, key=itemgetter(0))


def _people(asked: MonthSums, refused: _Refusals) -> set[UUID]:
    return {one.of for one in asked.by_person} | {row["analyst_id"] for row in refused}


def _datasets(asked: MonthSums, refused: _Refusals) -> set[UUID]:
    return {one.of for one in asked.by_dataset} | {row["dataset_id"] for row in refused}


def _search(action: str, month: Month) -> str:
    last = date.fromordinal(month.after.toordinal() - 1)
    return f"action:{action} since:{month.first} until:{last}"


def _refusals(tenant: Tenant, month: Month) -> _Refusals:
    counted = Refusal.objects.filter(tenant=tenant, day__gte=month.first, day__lt=month.after)
    found = counted.values("dataset_id", "analyst_id", "reason", "number", "largest_nano")
    sums: dict[tuple[UUID, UUID, str], dict[str, Any]] = {}
    for row in found.order_by("day"):
        key = (row["dataset_id"], row["analyst_id"], row["reason"])
        if key in sums:
            sums[key]["number"] += row["number"]
            sums[key]["largest_nano"] = max(sums[key]["largest_nano"], row["largest_nano"])
        else:
            sums[key] = dict(row)
    return sorted(sums.values(), key=lambda row: -row["number"])


def _lines(
    asked: Sequence[Asking], refused: _Refusals, names: Mapping[Any, Any], *, by: str
) -> tuple[MonthRow, ...]:
    lines: defaultdict[UUID, MonthRow] = defaultdict(lambda: MonthRow(""))
    for one in asked:
        _add(lines[one.of], one)
    for row in refused:
        lines[row[by]].refused += row["number"]
    for key, line in lines.items():
        line.name = str(names[key])
        line.slug = getattr(names[key], "slug", "")
    return tuple(sorted(lines.values(), key=lambda line: (-line.asked, -line.refused, line.name)))


def _add(line: MonthRow, one: Asking) -> None:
    line.asked += one.asked
    line.free += one.free
    line.unpaid += one.unpaid
    line.near += one.near
    line.by_owner += one.by_owner
    line.amounts[one.currency] += one.nano


def _any(amounts: Iterable[Currency], sign: str) -> Currency:
    return next(currency for currency in amounts if currency.symbol == sign)


def _refused(
    row: dict[str, Any], datasets: Mapping[UUID, Dataset], people: Mapping[Any, User]
) -> RefusedQuestions:
    user, dataset = people[row["analyst_id"]], datasets[row["dataset_id"]]
    return RefusedQuestions(user, dataset, row["reason"], row["number"], row["largest_nano"])
