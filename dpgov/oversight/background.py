"""What a second person should know before deciding: who asked, about what, and what came before.

Reads requests, budgets, declarations and memberships; never data, answers or the queue.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.approvals.kinds import kind_of
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Budget, LimitChange
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Currency
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership

_EARLIER = 10
_STEPS = 8
_MOST = 500


@dataclass(frozen=True, slots=True)
class Asker:
    """Who requested it: since when they are here, and what became of their requests."""

    name: str
    role: str
    since: datetime | None
    requests: int
    approved: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Background:
    """Around one request. `budget` is that of the item as it is now, where it has one.

    `lineage` leads from the item to what it came from: what each step is, and about it.
    """

    asker: Asker
    budget: Budget | None
    lineage: Sequence[tuple[str, str]]
    earlier: Sequence[ChangeRequest]


def background_of(change: ChangeRequest) -> Background:
    """Everything around the request, in a few short reads."""
    dataset, budget = _item(change)
    others = _others(change)
    lineage = _lineage(change, dataset, budget)
    return Background(_asker(change, others), budget, lineage, _earlier(change, others))


def _item(change: ChangeRequest) -> tuple[Dataset | None, Budget | None]:
    known = Dataset.objects.filter(kind_of(change.kind).about(change), tenant_id=change.tenant_id)
    known = known.annotate(number_of_versions=Count("versions", distinct=True))
    found = list(known.select_related("budget", "owner").order_by("archived_at", "created_at"))
    # Several may have one budget; where their budgets differ, no one of them is what it is about.
    if len({one.budget_id for one in found}) == 1:
        return found[0], found[0].budget
    identity = _uuid(change.subject.partition(":")[2])
    own = Budget.objects.filter(tenant_id=change.tenant_id, pk=identity) if identity else None
    return None, own.first() if own is not None else None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _others(change: ChangeRequest) -> list[ChangeRequest]:
    """Requests of the same person, or about the same item or dataset; the newest."""
    wanted = Q(requested_by_id=change.requested_by_id) | Q(subject=change.subject)
    if change.dataset:
        wanted |= Q(dataset=change.dataset)
    found = ChangeRequest.objects.filter(wanted, tenant_id=change.tenant_id)
    return list(found.select_related("requested_by").order_by("-requested_at")[:_MOST])


def _asker(change: ChangeRequest, others: Sequence[ChangeRequest]) -> Asker:
    counts = Counter(o.state for o in others if o.requested_by_id == change.requested_by_id)
    here = Membership.objects.filter(
        tenant_id=change.tenant_id, user_id=change.requested_by_id
    ).first()
    states = ChangeRequest.State
    return Asker(
        name=str(change.requested_by),
        role=here.roles_label if here else _("no member any more"),
        since=here.created_at if here else None,
        requests=counts.total(),
        approved=counts[states.APPROVED],
        rejected=counts[states.REJECTED],
    )


def _lineage(
    change: ChangeRequest, dataset: Dataset | None, budget: Budget | None
) -> list[tuple[str, str]]:
    """From the item down to where it came from."""
    found: list[tuple[str, str]] = []
    kind, __, text = change.subject.partition(":")
    if kind == "query" and (query := _query(change, text)) is not None:
        asked = _("version %(version)s of the data, asked by %(person)s on %(day)s") % {
            "version": query.version.number,
            "person": query.analyst,
            "day": _day(query.submitted_at),
        }
        found.append((_("Question"), asked))
    if dataset is not None:
        versions: int = dataset.number_of_versions  # type: ignore[attr-defined]
        about = _("%(name)s, registered by %(person)s on %(day)s, in version %(version)s") % {
            "name": dataset.name,
            "person": dataset.owner,
            "day": _day(dataset.created_at),
            "version": versions,
        }
        found.append((_("Dataset"), about))
    if budget is not None:
        found += [(_("Budget"), line) for line in _limits(budget)]
    return found


def _query(change: ChangeRequest, text: str) -> Query | None:
    identity = _uuid(text)
    if identity is None:
        return None
    queries = Query.objects.filter(tenant_id=change.tenant_id, pk=identity)
    return queries.select_related("analyst", "version").first()


def _limits(budget: Budget) -> list[str]:
    """How the limit came to be what it is, the newest step first."""
    return [_step(step, budget.currency) for step in budget.limit_changes.order_by("-id")[:_STEPS]]


def _step(step: LimitChange, currency: Currency) -> str:
    changed = _("limit changed from %(before)s to %(after)s on %(day)s")
    words = (changed if step.before_nano else _("limit opened at %(after)s on %(day)s")) % {
        "before": amount(step.before_nano, currency),
        "after": amount(step.after_nano, currency),
        "day": _day(step.created_at),
    }
    why = step.reason if step.before_nano else ""
    return f"{words} ({why})" if why else words


def _day(moment: datetime) -> str:
    return date_format(moment, pgettext("date format", "j F Y"))


def _earlier(change: ChangeRequest, others: Sequence[ChangeRequest]) -> list[ChangeRequest]:
    """Other requests about the same item or dataset, the newest first."""
    return [
        other
        for other in others
        if other.pk != change.pk
        and (
            other.subject == change.subject or (change.dataset and other.dataset == change.dataset)
        )
    ][:_EARLIER]
