"""A recount that trusts no counter: every balance from its entries, each entry from the others.

One statement for a kind of finding, and so one snapshot: right also while others are writing. What
two persons have to have agreed to, and did not (refunds, and limits that went up), the guards of
the database refuse; this finds what came past them, by whatever right.
"""

from collections.abc import Iterator
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
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Tenant


def ledger_findings(tenant: Tenant | None = None) -> list[str]:
    """Add up every entry again and name each counter that disagrees; an empty list is good."""
    budgets = Budget.objects.all() if tenant is None else Budget.objects.filter(tenant=tenant)
    found = [finding for budget in _recounted(budgets) for finding in _findings(budget)]
    rates = RateLimit.objects.filter(budget__in=budgets).select_related("budget")
    found += [finding for rate in rates for finding in _rate_findings(rate)]
    return found + list(_other_currencies(budgets)) + list(disagreed(budgets))


def _other_currencies(budgets: QuerySet[Budget]) -> Iterator[str]:
    """Budgets that are charged together must count alike: there is no sum of ε and ρ."""
    lines: tuple[tuple[QuerySet[Any], str], ...] = (
        (BudgetPart.objects.all(), "budget"),
        (Allocation.objects.all(), "budget"),
        (SharedBudgetMember.objects.filter(left_at__isnull=True), "shared_budget"),
    )
    for label, other in (
        DerivedBudget.objects.filter(budget__in=budgets)
        .exclude(budget__mode=F("parent__mode"))
        .values_list("budget__label", "parent__label")
    ):
        yield _two_currencies(label, other)
    for rows, beside in lines:
        wrong = rows.filter(dataset_budget__in=budgets).exclude(
            dataset_budget__mode=F(f"{beside}__mode")
        )
        for label, other in wrong.values_list("dataset_budget__label", f"{beside}__label"):
            yield _two_currencies(label, other)


def _two_currencies(label: str, other: str) -> str:
    return said(
        "{name}: is charged with {other}, which counts in another currency",
        name=label,
        other=other,
    )


def _recounted(budgets: QuerySet[Budget]) -> QuerySet[Any]:
    held, settled = Reservation.State.HELD, Reservation.State.SETTLED
    parts = BudgetPart.objects.filter(dataset_budget=OuterRef("pk")).order_by()
    lines = parts.values("dataset_budget")
    newest = LimitChange.objects.filter(budget=OuterRef("pk")).order_by("-id")
    return budgets.annotate(
        charged=_total(Charge.objects.all()),
        corrected=_total(Correction.objects.all()),
        held=_total(Reservation.objects.filter(state=held)),
        settled=_total(Reservation.objects.filter(state=settled)),
        line_spent=Subquery(lines.annotate(top=Max("budget__spent_nano")).values("top")),
        line_committed=Subquery(
            lines.annotate(top=Max(F("budget__spent_nano") + F("budget__reserved_nano"))).values(
                "top"
            )
        ),
        limit_in_history=Subquery(newest.values("after_nano")[:1]),
    ).order_by("id")


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


def disagreed(budgets: QuerySet[Budget]) -> Iterator[str]:
    """One sentence for each refund, raised limit and survey of these that nobody approved."""
    yield from _refunds(budgets)
    yield from _raises(budgets)
    yield from _surveys(budgets)


def _refunds(budgets: QuerySet[Budget]) -> Iterator[str]:
    charged = Charge.objects.filter(query_id=OuterRef("query_id"), budget=OuterRef("budget"))
    refunds = Correction.objects.filter(budget__in=budgets, kind=Correction.Kind.REFUND)
    rows = refunds.annotate(charged=Subquery(charged.values("amount_nano")[:1]))
    for refund in rows.select_related("budget").order_by("pk"):
        agreed = _agreed(REFUND, refund.tenant_id, query=str(refund.query_id))
        if not agreed or refund.charged != -refund.amount_nano:
            yield said(
                "{budget}: {amount} was given back for question {question}, which no two persons "
                "approved",
                budget=refund.budget.label,
                amount=amount(-refund.amount_nano, refund.budget.currency),
                question=str(refund.query_id),
            )


def _raises(budgets: QuerySet[Budget]) -> Iterator[str]:
    raised = LimitChange.objects.filter(
        budget__in=budgets.filter(kind__in=_GUARDED), before_nano__gt=0
    ).filter(after_nano__gt=F("before_nano"))
    for change in raised.select_related("budget").order_by("pk"):
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


def _surveys(budgets: QuerySet[Budget]) -> Iterator[str]:
    shared = budgets.exclude(kind=Budget.Kind.SURVEY)
    charges = Correction.objects.filter(budget__in=shared, kind=Correction.Kind.SURVEY)
    for charge in charges.select_related("budget").order_by("pk"):
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
