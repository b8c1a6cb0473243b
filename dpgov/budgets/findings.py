"""A recount that trusts no counter: every balance from its entries, each entry from the others.

One statement for a kind of finding, and so one snapshot: right also while others are writing. What
two persons have to have agreed to, and did not (refunds, and limits that went up), the guards of
the database refuse; this finds what came past them, by whatever right.
"""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import (
    Allocation,
    Budget,
    BudgetPart,
    Charge,
    Correction,
    DerivedBudget,
    LimitChange,
    RateLimit,
    Reservation,
    SharedBudgetMember,
)
from dpgov.budgets.services.agreed import MERGE_SHARED_BUDGETS
from dpgov.budgets.services.corrections import REFUND
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.surveys import OPEN_SURVEY
from dpgov.budgets.windows import window_end
from dpgov.budgets.words import amount
from dpgov.language.said import said
from dpgov.operation.prepared import Prepared
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Tenant


def ledger_findings(tenant: Tenant | None = None) -> list[str]:
    """Add up every entry again and name each counter that disagrees; an empty list is good."""
    whose, everywhere = (_NOBODY, True) if tenant is None else (tenant.pk, False)
    recounted: Iterable[Any] = _recounted(whose, everywhere=everywhere)
    found = [finding for budget in recounted for finding in _findings(budget)]
    for rate in _rates(whose, everywhere=everywhere):
        found += _rate_findings(rate)
    for label, other in _other_currencies(whose, everywhere=everywhere):
        found.append(_two_currencies(label, other))
    return found + list(_disagreed(whose, everywhere))


# In the place of an organisation where all are meant.
_NOBODY = UUID(int=0)


def _of(tenant_id: UUID, everywhere: bool) -> QuerySet[Budget]:
    return Budget.objects.all() if everywhere else Budget.objects.filter(tenant=tenant_id)


@Prepared
def _rates(tenant_id: UUID, *, everywhere: bool) -> QuerySet[RateLimit]:
    rates = RateLimit.objects.filter(budget__in=_of(tenant_id, everywhere))
    return rates.select_related("budget")


@Prepared
def _other_currencies(tenant_id: UUID, *, everywhere: bool) -> QuerySet[Any, tuple[str, str]]:
    """Budgets that are charged together must count alike: there is no sum of ε and ρ."""
    lines: tuple[tuple[QuerySet[Any], str, str], ...] = (
        (DerivedBudget.objects.all(), "budget", "parent"),
        (BudgetPart.objects.all(), "dataset_budget", "budget"),
        (Allocation.objects.all(), "dataset_budget", "budget"),
        (SharedBudgetMember.objects.filter(left_at=None), "dataset_budget", "shared_budget"),
    )
    first, *others = (
        rows.filter(**{f"{own}__in": _of(tenant_id, everywhere)})
        .exclude(**{f"{own}__mode": F(f"{beside}__mode")})
        .order_by()
        .values_list(f"{own}__label", f"{beside}__label")
        for rows, own, beside in lines
    )
    return first.union(*others, all=True)


def _two_currencies(label: str, other: str) -> str:
    return said(
        "{name}: is charged with {other}, which counts in another currency",
        name=label,
        other=other,
    )


@Prepared
def _recounted(tenant_id: UUID, *, everywhere: bool) -> QuerySet[Budget]:
    held, settled = Reservation.State.HELD, Reservation.State.SETTLED
    parts = BudgetPart.objects.filter(dataset_budget=OuterRef("pk")).order_by()
    lines = parts.values("dataset_budget")
    newest = LimitChange.objects.filter(budget=OuterRef("pk")).order_by("-id")
    return (
        _of(tenant_id, everywhere)
        .annotate(
            charged=_total(Charge.objects.all()),
            corrected=_total(Correction.objects.all()),
            held=_total(Reservation.objects.filter(state=held)),
            settled=_total(Reservation.objects.filter(state=settled)),
            line_spent=Subquery(lines.annotate(top=Max("budget__spent_nano")).values("top")),
            line_committed=Subquery(
                lines.annotate(
                    top=Max(F("budget__spent_nano") + F("budget__reserved_nano"))
                ).values("top")
            ),
            limit_in_history=Subquery(newest.values("after_nano")[:1]),
        )
        .order_by("id")
    )


def _total(rows: QuerySet[Any]) -> Coalesce:
    """The sum of these rows' amounts for the budget of the outer query."""
    mine = rows.filter(budget=OuterRef("pk")).order_by().values("budget")
    return Coalesce(Subquery(mine.annotate(total=Sum("amount_nano")).values("total")), 0)


def _findings(budget: Any) -> Iterator[str]:
    currency: Currency = budget.currency
    spent, reserved = budget.charged + budget.corrected, budget.held
    source = said("the charges")
    if budget.line_spent is not None:
        spent, reserved = budget.line_spent, budget.line_committed - budget.line_spent
        source = said("its largest part")
    comparisons = (
        (said("spent"), budget.spent_nano, source, spent),
        (said("reserved"), budget.reserved_nano, said("the holds"), reserved),
        (said("limit"), budget.limit_nano, said("its history"), budget.limit_in_history),
        (said("settled holds"), budget.settled, said("the charges"), budget.charged),
    )
    for name, stored, what, counted in comparisons:
        if stored != counted:
            yield said(
                "{budget}: {name} says {stored}, {what} add up to {counted}",
                budget=budget.label,
                name=name,
                stored=amount(stored, currency),
                what=what,
                counted=amount(counted or 0, currency),
            )
    if budget.remaining_nano < 0:
        over = amount(-budget.remaining_nano, currency)
        yield said("{budget}: overspent by {amount}", budget=budget.label, amount=over)


def _rate_findings(rate: RateLimit) -> Iterator[str]:
    kept = Q(state=Reservation.State.HELD) | Q(state=Reservation.State.SETTLED)
    window = Reservation.objects.filter(
        kept,
        budget=rate.budget_id,
        counted_on__gte=rate.window_start,
        counted_on__lt=window_end(rate.period, rate.window_start),
    )
    counted = window.aggregate(total=Sum("amount_nano"))["total"] or 0
    if counted != rate.taken_nano:
        yield said(
            "{budget}: {period} says {taken}, the holds add up to {counted}",
            budget=rate.budget.label,
            period=str(rate.get_period_display()),
            taken=amount(rate.taken_nano, rate.budget.currency),
            counted=amount(counted, rate.budget.currency),
        )


_GUARDED = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)


def _disagreed(tenant_id: UUID, everywhere: bool) -> Iterator[str]:
    """One sentence for each refund, raised limit and survey of these that nobody approved."""
    refunds: Iterable[Any] = _refunds(tenant_id, everywhere=everywhere)
    yield from _refunds_alone(refunds)
    yield from _raised_alone(_raises(tenant_id, everywhere=everywhere))
    yield from _charged_alone(_surveys(tenant_id, everywhere=everywhere))


@Prepared
def _refunds(tenant_id: UUID, *, everywhere: bool) -> QuerySet[Correction]:
    charged = Charge.objects.filter(query_id=OuterRef("query_id"), budget=OuterRef("budget"))
    refunds = Correction.objects.filter(
        budget__in=_of(tenant_id, everywhere), kind=Correction.Kind.REFUND
    )
    rows = refunds.annotate(charged=Subquery(charged.values("amount_nano")[:1]))
    return rows.select_related("budget").order_by("pk")


def _refunds_alone(refunds: Iterable[Any]) -> Iterator[str]:
    for refund in refunds:
        agreed = _agreed(REFUND, refund.tenant_id, query=str(refund.query_id))
        if not agreed or refund.charged != -refund.amount_nano:
            yield said(
                "{budget}: {amount} was given back for question {question}, which no two persons "
                "approved",
                budget=refund.budget.label,
                amount=amount(-refund.amount_nano, refund.budget.currency),
                question=str(refund.query_id),
            )


@Prepared
def _raises(tenant_id: UUID, *, everywhere: bool) -> QuerySet[LimitChange]:
    guarded = _of(tenant_id, everywhere).filter(kind__in=_GUARDED)
    raised = LimitChange.objects.filter(budget__in=guarded, before_nano__gt=0)
    higher = raised.filter(after_nano__gt=F("before_nano"))
    return higher.select_related("budget").order_by("pk")


def _raised_alone(raised: Iterable[LimitChange]) -> Iterator[str]:
    for change in raised:
        budget = change.budget
        requests = _agreed(RAISE_LIMIT, budget.tenant_id, budget=str(budget.pk))
        merges = _agreed(MERGE_SHARED_BUDGETS, budget.tenant_id, into=str(budget.pk))
        if not merges and change.after_nano not in (
            agreed.get("after_nano") for agreed in requests
        ):
            yield said(
                "{budget}: its limit was raised from {before} to {after}, which no two persons "
                "approved",
                budget=budget.label,
                before=amount(change.before_nano, budget.currency),
                after=amount(change.after_nano, budget.currency),
            )


@Prepared
def _surveys(tenant_id: UUID, *, everywhere: bool) -> QuerySet[Correction]:
    shared = _of(tenant_id, everywhere).exclude(kind=Budget.Kind.SURVEY)
    charges = Correction.objects.filter(budget__in=shared, kind=Correction.Kind.SURVEY)
    return charges.select_related("budget").order_by("pk")


def _charged_alone(charges: Iterable[Correction]) -> Iterator[str]:
    for charge in charges:
        about = {"survey": str(charge.pk), "budget": str(charge.budget_id)}
        agreed = _agreed(OPEN_SURVEY, charge.tenant_id, **about)
        if charge.amount_nano not in (payload.get("charged_nano") for payload in agreed):
            yield said(
                "{budget}: {amount} was charged for survey {survey}, which no two persons approved",
                budget=charge.budget.label,
                amount=amount(charge.amount_nano, charge.budget.currency),
                survey=str(charge.pk),
            )


def _agreed(kind: str, tenant_id: UUID, **about: str) -> list[dict[str, Any]]:
    """The payloads of the approved requests of this kind about this."""
    found = ChangeRequest.objects.filter(
        tenant_id=tenant_id, kind=kind, state=ChangeRequest.State.APPROVED
    ).exclude(decided_by=F("requested_by"))
    rows = found.filter(**{f"payload__{key}": value for key, value in about.items()})
    return list(rows.values_list("payload", flat=True))
