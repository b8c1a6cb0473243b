"""Budgets that count ρ: limits, what may be added up, and a mode that never changes."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from dpgov.approvals.services import approve
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import InsufficientBudget, NotRaised, RaisingTakesTwo
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, Correction, RateLimit, SharedBudgetMember
from dpgov.budgets.services import (
    allocate,
    change_limit,
    correct,
    open_budget,
    open_parts,
    set_rate_limit,
    settle,
)
from dpgov.budgets.services.raising import raise_limit, request_raise
from dpgov.budgets.services.shared_budgets import (
    OtherCurrency,
    OtherPromise,
    join_shared_budget,
    open_shared_budget,
)
from dpgov.budgets.words import promise_of
from dpgov.privacy.accounting.loss import Currency, Mode, rho_limit
from dpgov.tenants.models import Membership, Tenant
from tests.agreed import merge_as_two, split_as_two
from tests.integration.budgets.shared.sharing import NANO, acting, charge, dataset_budget, fresh
from tests.made_once import made_once
from tests.triggers import without_triggers

DELTA = Decimal("1e-6")
RHO = Currency(Mode.ZCDP, DELTA)
LIMIT = rho_limit(3 * NANO, DELTA)


@made_once
def zcdp(tenant: Tenant) -> Budget:
    """A dataset's budget of (3, 1e-6)."""
    return open_budget(tenant=tenant, label="visits", limit_nano=3 * NANO, currency=RHO)


def test_the_limit_is_the_rho_that_keeps_the_owners_epsilon_at_delta(zcdp: Budget) -> None:
    stored = fresh(zcdp)
    assert (stored.mode, stored.delta) == ("zcdp", "1e-6")
    assert (stored.limit_nano, stored.limit_epsilon_nano) == (LIMIT, 3 * NANO)
    assert stored.currency == RHO


def test_the_ledger_admits_ten_times_as_many_small_questions_as_plain_addition(
    zcdp: Budget, tenant: Tenant
) -> None:
    """F2: 3701 questions of ε 0.01 under (3, 1e-6), where the plain sum has room for 300."""
    pure, admitted = dataset_budget(tenant, "pure", 3 * NANO), {}
    for budget, before in ((zcdp, 3_690), (pure, 290)):
        price = budget.currency.price_of(NANO // 100)
        _booked_before(budget, before * price)
        admitted[budget.mode] = before + _asked_until_refused(budget, price)
    assert admitted == {"zcdp": 3_701, "pure": 300}
    assert admitted["zcdp"] >= 10 * admitted["pure"]
    assert ledger_findings() == []


def _booked_before(budget: Budget, nano: int) -> None:
    kind = Correction.Kind.AFTER_RESTORE
    correct(budget=budget, kind=kind, amount_nano=nano, reason="all the questions before")


def _asked_until_refused(budget: Budget, price: int) -> int:
    count = 0
    while True:
        try:
            query_id = charge(budget, price)
        except InsufficientBudget:
            return count
        settle(query_id=query_id, amount_nano=price)
        count += 1


def test_a_refusal_names_the_amounts_in_rho(zcdp: Budget) -> None:
    with pytest.raises(InsufficientBudget, match=r"needs ρ 0\.2, but only ρ 0\.18506984 remains"):
        charge(zcdp, NANO // 5)
    assert fresh(zcdp).committed_nano == 0


@pytest.mark.parametrize("charged", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        {"mode": "pure", "delta": "", "target_nano": None},
        {"delta": "1e-3"},
        {"mode": "pure"},
        {"delta": ""},
    ],
)
def test_neither_mode_nor_delta_of_a_budget_ever_changes(
    zcdp: Budget, change: dict[str, object], charged: bool
) -> None:
    """F3: by a trigger, whoever asks; before the first charge as after it."""
    if charged:
        settle(query_id=charge(zcdp, 50_000), amount_nano=50_000)
    with pytest.raises(DatabaseError), transaction.atomic():
        Budget.objects.filter(pk=zcdp.pk).update(**change)
    assert fresh(zcdp).currency == RHO


def test_a_pure_budget_does_not_become_another_one_either(tenant: Tenant) -> None:
    """F3: an (ε, δ) would let more through than was promised."""
    budget = dataset_budget(tenant, "pure")
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Budget.objects.filter(pk=budget.pk).update(
            mode="zcdp", delta="1e-6", target_nano=NANO, limit_nano=1
        )
    assert fresh(budget).currency.mode is Mode.PURE


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "zcdp"},
        {"mode": "zcdp", "delta": "1e-6"},
        {"delta": "1e-6"},
        {"target_nano": NANO},
        {"mode": "zcdp", "delta": "1e-6", "target_nano": 0},
    ],
)
def test_half_a_currency_is_refused_by_the_database(
    tenant: Tenant, wrong: dict[str, object]
) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Budget.objects.create(tenant=tenant, label="half", limit_nano=NANO, **wrong)


def test_allocations_parts_and_rates_count_as_their_dataset_does(
    zcdp: Budget, analyst: Membership
) -> None:
    open_parts(budget=zcdp, parts=["north", "south"])
    grant = allocate(
        dataset_budget=zcdp, holder=analyst.user, limit_nano=NANO, actor=OPERATOR, reason="study"
    )
    set_rate_limit(budget=zcdp, period=RateLimit.Period.WEEK, limit_nano=NANO // 2, actor=OPERATOR)
    lines = Budget.objects.filter(as_part__dataset_budget=zcdp)
    assert {line.currency for line in lines} == {grant.budget.currency} == {RHO}
    assert {(line.limit_nano, line.target_nano) for line in lines} == {(LIMIT, 3 * NANO)}
    assert grant.budget.limit_nano == rho_limit(NANO, DELTA)
    assert {rate.limit_nano for rate in RateLimit.objects.all()} == {rho_limit(NANO // 2, DELTA)}


def test_the_log_says_rho_and_the_epsilon_that_it_keeps(zcdp: Budget, analyst: Membership) -> None:
    allocate(
        dataset_budget=zcdp, holder=analyst.user, limit_nano=NANO, actor=OPERATOR, reason="study"
    )
    change_limit(budget=zcdp, limit_nano=2 * NANO, actor=OPERATOR, reason="less")
    granted, lowered = AuditEntry.objects.order_by("sequence")
    assert '"after_rho":"0.02435597"' in granted.detail
    assert '"after_target_epsilon":"1"' in granted.detail
    assert '"before_rho":"0.18506984"' in lowered.detail
    assert '"delta":"1e-6"' in lowered.detail
    assert "after_epsilon" not in lowered.detail


def test_lowering_takes_one_and_raising_takes_two_at_the_same_delta(
    zcdp: Budget, owner: Membership, officer: Membership
) -> None:
    with pytest.raises(RaisingTakesTwo):
        change_limit(budget=zcdp, limit_nano=4 * NANO, actor=OPERATOR, reason="more")
    with pytest.raises(NotRaised, match=r"ε 3 at δ 1e-6"):
        request_raise(membership=owner, budget=zcdp, limit_nano=3 * NANO, reason="more")
    request = request_raise(membership=owner, budget=zcdp, limit_nano=5 * NANO, reason="more")
    approve(request_id=request.pk, decider=officer, reason="yes", carry_out=raise_limit)
    raised = fresh(zcdp)
    assert raised.limit_nano == rho_limit(5 * NANO, DELTA)
    assert (raised.limit_epsilon_nano, raised.delta) == (5 * NANO, "1e-6")


def _shared_budget(tenant: Tenant, name: str, currency: Currency = RHO) -> Budget:
    return open_shared_budget(
        tenant=tenant, name=name, limit_nano=3 * NANO, actor=OPERATOR, currency=currency
    )


def test_budgets_of_two_currencies_share_nothing(zcdp: Budget, tenant: Tenant) -> None:
    """F3: there is no sum of ε and ρ."""
    pure = open_shared_budget(tenant=tenant, name="pure", limit_nano=NANO, actor=OPERATOR)
    rho = _shared_budget(tenant, "rho")
    with pytest.raises(OtherCurrency, match="no common sum"):
        join_shared_budget(shared_budget=pure, dataset_budget=zcdp, actor=OPERATOR)
    with pytest.raises(OtherCurrency):
        merge_as_two(into=pure, other=rho, reason="the same people")
    assert fresh(pure).members.count() == fresh(rho).members.count() == 0


def test_budgets_that_protect_different_things_share_nothing(tenant: Tenant) -> None:
    """F12: a loss of one row and a loss of five rows together are not added up."""
    one, five = (
        open_budget(tenant=tenant, label=kept, limit_nano=NANO, currency=RHO, protects=kept)
        for kept in (promise_of(1, removed=True), promise_of(5, removed=False))
    )
    shared = _shared_budget(tenant, "shared")
    join_shared_budget(shared_budget=shared, dataset_budget=one, actor=OPERATOR)
    assert fresh(shared).protects == one.protects
    with pytest.raises(OtherPromise, match="5 units together, changed"):
        join_shared_budget(shared_budget=shared, dataset_budget=five, actor=OPERATOR)
    with pytest.raises(DatabaseError), transaction.atomic():
        Budget.objects.filter(pk=shared.pk).update(protects=five.protects)


def test_shared_budgets_in_rho_merge_and_part_without_forgetting(tenant: Tenant) -> None:
    budgets = [
        open_budget(tenant=tenant, label=label, limit_nano=3 * NANO, currency=RHO)
        for label in ("a", "b")
    ]
    left, right = (_shared_budget(tenant, name) for name in ("left", "right"))
    for shared, budget in zip((left, right), budgets, strict=True):
        charge(budget, 1_000_000)
        join_shared_budget(shared_budget=shared, dataset_budget=budget, actor=OPERATOR)
    with acting(tenant):
        merge_as_two(into=left, other=right, reason="the same people")
    merged = fresh(left)
    assert (merged.limit_nano, merged.limit_epsilon_nano) == (LIMIT, 3 * NANO)
    assert merged.committed_nano == 2_000_000
    leaving = [budgets[1].pk]
    with acting(tenant):
        apart = split_as_two(
            shared_budget=left, leaving=leaving, tenant=tenant, name="apart", reason="others"
        )
    opened = Budget.objects.get(pk=str(apart["opened"]))
    assert (opened.limit_nano, opened.currency) == (LIMIT, RHO)
    assert opened.committed_nano == 2_000_000
    assert apart["limit_rho"] == "0.18506984"
    assert ledger_findings() == []


def test_the_recount_finds_budgets_that_were_tied_together_by_force(
    zcdp: Budget, tenant: Tenant
) -> None:
    """F3: whatever a hand in the database did, `verify_ledger` says so."""
    pure = open_shared_budget(tenant=tenant, name="pure", limit_nano=NANO, actor=OPERATOR)
    SharedBudgetMember.objects.create(tenant=tenant, shared_budget=pure, dataset_budget=zcdp)
    assert ledger_findings() == ["visits: is charged with pure, which counts in another currency"]
    with without_triggers():
        SharedBudgetMember.objects.filter(shared_budget=pure).update(left_at=timezone.now())


def test_an_amount_of_another_budget_is_not_settled(zcdp: Budget) -> None:
    query_id = charge(zcdp, 50_000, uuid4())
    settle(query_id=query_id, amount_nano=50_000)
    assert fresh(zcdp).spent_nano == 50_000
