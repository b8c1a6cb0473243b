"""What happened in one month: by dataset, by person, refused, nearly refused, decided, changed.

Read from questions, their charges, counted refusals, requests and the log, all by index; never
from data. Months are calendar months in UTC, as questions and refusals are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, Sum
from django.utils.translation import gettext as _

from dpgov.audit.selectors import rare_actions_between
from dpgov.budgets.windows import window_end
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.oversight.log.words import in_words
from dpgov.oversight.month.decisions import Decided, Proof, decided_in, decisions, proof_of
from dpgov.oversight.month.standing import Stand, stands_of
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.models import Query, Refusal
from dpgov.tenants.models import Tenant, User

# A question is near its limit from nine tenths on, and a budget nearly spent at nine tenths.
_NEAR = 9
_OF = 10
# Every month has one before it and one after it.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month in UTC."""

    first: date

    @classmethod
    def read(cls, text: str) -> "Month":
        """From "2026-11"; the present month for whatever is none, or is out of all calendars."""
        try:
            first = date.fromisoformat(f"{text}-01")
        except ValueError:
            first = date.min
        if not _FIRST_YEAR <= first.year < _LAST_YEAR:
            first = clock.today().replace(day=1)
        return cls(first)

    @property
    def after(self) -> date:
        """The first day that is not in it any more."""
        return window_end("month", self.first)

    @property
    def text(self) -> str:
        """As it stands in an address: "2026-11"."""
        return f"{self.first:%Y-%m}"

    @property
    def earlier(self) -> str:
        """The month before, in an address."""
        return self.before().text

    @property
    def later(self) -> str:
        """The month after, in an address; empty when it has not begun."""
        return f"{self.after:%Y-%m}" if self.after <= clock.today() else ""

    def before(self) -> "Month":
        """The month before."""
        return Month((self.first - timedelta(days=1)).replace(day=1))

    def span(self) -> tuple[datetime, datetime]:
        """Its beginning and its end."""
        begin, end = (datetime.combine(day, time.min, UTC) for day in (self.first, self.after))
        return begin, end


@dataclass(slots=True)
class Row:
    """What one dataset was asked, or one person asked, in the month; amounts by their sign."""

    name: str
    slug: str = ""
    asked: int = 0
    charged: Counter[Currency] = field(default_factory=Counter)
    free: int = 0
    unpaid: int = 0
    near: int = 0
    refused: int = 0
    by_owner: int = 0

    @property
    def spent(self) -> str:
        """The exact amounts: "ε 1.5", "ε 1.5 and ρ 0.02"."""
        by_sign: Counter[str] = Counter()
        for currency, nano in self.charged.items():
            by_sign[currency.symbol] += nano
        words = [amount(n, _any(self.charged, sign)) for sign, n in sorted(by_sign.items()) if n]
        if len(words) < 2:
            return words[0] if words else amount(0, PURE)
        return _("%(epsilon)s and %(rho)s") % {"epsilon": words[0], "rho": words[1]}


@dataclass(frozen=True, slots=True)
class Refused:
    """Refusals of one person's questions about one dataset, for one reason."""

    person: str
    dataset: str
    reason: str
    number: int
    largest: str
    plain: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Others:
    """A kind of entry in the log other than questions, how many, and the search for them."""

    action: str
    words: str
    number: int
    search: str


@dataclass(frozen=True, slots=True)
class MonthFigures:
    """Everything about the month, the busiest first."""

    month: Month
    datasets: tuple[Row, ...]
    people: tuple[Row, ...]
    refusals: tuple[Refused, ...]
    nearly_spent: tuple[Dataset, ...]
    decisions: Mapping[str, int]
    steps: tuple[Others, ...]
    stands: tuple[Stand, ...] = ()
    decided: tuple[Decided, ...] = ()
    proof: Proof | None = None

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
    def by_owners(self) -> tuple[tuple[str, int], ...]:
        """Who asked as an analyst and was a data owner here as well, and how many questions."""
        return tuple((line.name, line.by_owner) for line in self.people if line.by_owner)


def figures_of(tenant: Tenant, month: Month) -> MonthFigures:
    """The month of a tenant, in nine short reads."""
    rows, refused = _questions(tenant, month), _refusals(tenant, month)
    found = Dataset.objects.filter(tenant=tenant).select_related("budget").order_by("name")
    datasets = {dataset.pk: dataset for dataset in found}
    people = User.objects.in_bulk({row["analyst_id"] for row in (*rows, *refused)})
    return MonthFigures(
        month=month,
        datasets=_lines(rows, refused, datasets, datasets, by="dataset_id"),
        people=_lines(rows, refused, people, datasets, by="analyst_id"),
        refusals=tuple(_in_words(row, datasets, people) for row in refused),
        nearly_spent=tuple(dataset for dataset in datasets.values() if _is_nearly_spent(dataset)),
        decisions=decisions(tenant.pk, month.span()),
        decided=decided_in(tenant.pk, month.span()),
        stands=stands_of(datasets.values(), month.before().span()[0], *month.span(), clock.now()),
        proof=proof_of(tenant.pk, month.span()[1]),
        steps=tuple(
            Others(action, in_words(action), number, _search(action, month))
            for action, number in rare_actions_between(tenant.pk, *month.span())
        ),
    )


def _search(action: str, month: Month) -> str:
    last = date.fromordinal(month.after.toordinal() - 1)
    return f"action:{action} since:{month.first} until:{last}"


_Rows = list[dict[str, Any]]


def _questions(tenant: Tenant, month: Month) -> _Rows:
    begin, end = month.span()
    asked = Query.objects.filter(
        tenant=tenant, submitted_at__gte=begin, submitted_at__lt=end
    ).order_by()
    near = Q(reuse=False, cost_nano__gte=F("dataset__per_query_limit_nano") * _NEAR / _OF)
    by_state = asked.values("dataset_id", "analyst_id", "state", "reuse", "by_owner")
    sums = {"number": Count("pk"), "nano": Sum("cost_nano"), "near": Count("pk", filter=near)}
    return [dict(row) for row in by_state.annotate(**sums)]


def _refusals(tenant: Tenant, month: Month) -> _Rows:
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
    rows: _Rows,
    refused: _Rows,
    names: Mapping[Any, Any],
    datasets: Mapping[UUID, Dataset],
    *,
    by: str,
) -> tuple[Row, ...]:
    lines: defaultdict[Any, Row] = defaultdict(lambda: Row(""))
    currencies = {key: dataset.budget.currency for key, dataset in datasets.items()}
    for row in rows:
        _add(lines[row[by]], row, currencies[row["dataset_id"]])
    for row in refused:
        lines[row[by]].refused += row["number"]
    for key, line in lines.items():
        line.name = str(names[key])
        line.slug = getattr(names[key], "slug", "")
    return tuple(sorted(lines.values(), key=lambda line: (-line.asked, -line.refused, line.name)))


def _add(line: Row, row: dict[str, Any], currency: Currency) -> None:
    line.asked += row["number"]
    line.near += row["near"]
    line.by_owner += row["number"] if row["by_owner"] else 0
    if row["reuse"]:
        line.free += row["number"]
    elif row["state"] in (Query.State.VOIDED, Query.State.EXPIRED):
        line.unpaid += row["number"]
    else:
        line.charged[currency] += row["nano"]


def _any(charged: Iterable[Currency], sign: str) -> Currency:
    return next(currency for currency in charged if currency.symbol == sign)


def _in_words(
    row: dict[str, Any], datasets: Mapping[UUID, Dataset], people: Mapping[Any, User]
) -> Refused:
    dataset, largest = datasets[row["dataset_id"]], row["largest_nano"]
    return Refused(
        person=str(people[row["analyst_id"]]),
        dataset=dataset.name,
        reason=str(Refusal.Reason(row["reason"]).label),
        number=row["number"],
        largest=amount(largest, dataset.budget.currency) if largest else "–",
        plain=as_text(largest) if largest else "",
        unit=dataset.budget.currency.unit if largest else "",
    )


def _is_nearly_spent(dataset: Dataset) -> bool:
    budget, present = dataset.budget, not dataset.archived_at and not dataset.held_at
    return present and budget.committed_nano * _OF >= budget.limit_nano * _NEAR
