"""What the ledger refuses, and that a refusal changes nothing."""

import uuid
from decimal import Decimal

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import (
    AlreadyReserved,
    AmountMismatch,
    AmountOutOfRange,
    InsufficientBudget,
    LedgerRefusal,
    LimitBelowCommitted,
    NothingHeld,
)
from dpgov.budgets.models import Budget, Charge, Reservation
from dpgov.budgets.services import Line, change_limit, expire, open_budget, reserve, settle, void
from tests.integration.budgets.conftest import NANO, Balances

pytestmark = pytest.mark.django_db

NOT_AMOUNTS = [0, -1, True, False, 1.0, float("nan"), float("inf"), Decimal(1), "1", None, 10**50]


@pytest.fixture
def held(budget: Budget) -> uuid.UUID:
    """A query that holds ε 1."""
    query_id = uuid.uuid4()
    reserve(query_id=query_id, tenant_id=budget.tenant_id, lines=[Line(budget.id, NANO)])
    return query_id


@pytest.mark.parametrize("amount", NOT_AMOUNTS, ids=repr)
def test_what_is_not_a_positive_integer_cannot_be_reserved(
    budget: Budget, balances: Balances, amount: object
) -> None:
    """A5: zero, negative, NaN, infinity, True and floats are refused by name."""
    with pytest.raises(AmountOutOfRange):
        reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.id, amount)])  # type: ignore[arg-type]
    assert balances() == (10 * NANO, 0, 0)
    assert not Reservation.objects.exists()


@pytest.mark.parametrize("amount", NOT_AMOUNTS, ids=repr)
def test_what_is_not_a_positive_integer_cannot_be_settled(
    held: uuid.UUID, balances: Balances, amount: object
) -> None:
    """A5: the same amounts at settlement."""
    with pytest.raises(AmountOutOfRange):
        settle(query_id=held, amount_nano=amount)  # type: ignore[arg-type]
    assert balances() == (10 * NANO, NANO, 0)


def test_a_second_settle_is_refused_and_changes_nothing(
    held: uuid.UUID, balances: Balances
) -> None:
    """A5: settle twice."""
    settle(query_id=held, amount_nano=NANO)
    with pytest.raises(NothingHeld):
        settle(query_id=held, amount_nano=NANO)
    assert balances() == (10 * NANO, 0, NANO)
    assert Charge.objects.count() == 1


@pytest.mark.parametrize("give_back", [void, expire])
def test_a_settled_reservation_is_never_given_back(
    held: uuid.UUID, balances: Balances, give_back: object
) -> None:
    """A5: void or expire after settle."""
    settle(query_id=held, amount_nano=NANO)
    with pytest.raises(NothingHeld):
        give_back(query_id=held)  # type: ignore[operator]
    assert balances() == (10 * NANO, 0, NANO)


@pytest.mark.parametrize("first", [void, expire])
@pytest.mark.parametrize("second", [void, expire])
def test_a_reservation_is_given_back_once(
    held: uuid.UUID, balances: Balances, first: object, second: object
) -> None:
    """A5: what was given back cannot be given back or settled again."""
    first(query_id=held)  # type: ignore[operator]
    with pytest.raises(NothingHeld):
        second(query_id=held)  # type: ignore[operator]
    with pytest.raises(NothingHeld):
        settle(query_id=held, amount_nano=NANO)
    assert balances() == (10 * NANO, 0, 0)


@pytest.mark.parametrize("amount", [NANO + 1, NANO - 1])
def test_exactly_what_was_reserved_is_booked(
    held: uuid.UUID, balances: Balances, amount: int
) -> None:
    """A5: settle more, or less, than reserved."""
    with pytest.raises(AmountMismatch):
        settle(query_id=held, amount_nano=amount)
    assert balances() == (10 * NANO, NANO, 0)


def test_an_unknown_query_has_nothing_to_settle(budget: Budget, balances: Balances) -> None:
    """A5: an id that was never reserved."""
    with pytest.raises(NothingHeld):
        settle(query_id=uuid.uuid4(), amount_nano=NANO)
    assert balances() == (10 * NANO, 0, 0)


@pytest.mark.parametrize("ending", [None, void, expire])
def test_a_query_id_is_reserved_once_whatever_became_of_it(
    budget: Budget, held: uuid.UUID, ending: object
) -> None:
    """A5: repeat an id."""
    if ending is not None:
        ending(query_id=held)  # type: ignore[operator]
    before = Budget.objects.values().get(pk=budget.pk)
    with pytest.raises(AlreadyReserved):
        reserve(query_id=held, tenant_id=budget.tenant_id, lines=[Line(budget.id, NANO)])
    assert Budget.objects.values().get(pk=budget.pk) == before


def test_a_refusal_names_what_was_asked_and_what_remains(
    budget: Budget, held: uuid.UUID, balances: Balances
) -> None:
    """A1: more than remains is refused without a trace; exactly what remains is admitted."""
    with pytest.raises(InsufficientBudget) as refusal:
        reserve(
            query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.id, 9 * NANO + 1)]
        )
    assert refusal.value.requested_nano == 9 * NANO + 1
    assert refusal.value.remaining_nano == 9 * NANO
    assert balances() == (10 * NANO, NANO, 0)
    reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.id, 9 * NANO)])
    assert balances() == (10 * NANO, 10 * NANO, 0)


def test_all_lines_of_a_query_are_held_or_none(budget: Budget) -> None:
    """A2: a second budget without room leaves the first one untouched."""
    small = open_budget(tenant=budget.tenant, label="small", limit_nano=NANO)
    query_id = uuid.uuid4()
    with pytest.raises(InsufficientBudget):
        reserve(
            query_id=query_id,
            tenant_id=budget.tenant_id,
            lines=[Line(budget.id, 2 * NANO), Line(small.id, 2 * NANO)],
        )
    assert set(Budget.objects.values_list("reserved_nano", flat=True)) == {0}
    assert not Reservation.objects.exists()


def test_a_limit_is_not_lowered_below_what_is_committed(
    budget: Budget, held: uuid.UUID, balances: Balances
) -> None:
    """A8: refused with the numbers; at the committed amount it is admitted and nothing remains."""
    with pytest.raises(LimitBelowCommitted) as refusal:
        change_limit(budget=budget, limit_nano=NANO - 1, actor=OPERATOR, reason="test")
    assert refusal.value.committed_nano == NANO
    assert balances() == (10 * NANO, NANO, 0)
    assert not AuditEntry.objects.exists()
    change_limit(budget=budget, limit_nano=NANO, actor=OPERATOR, reason="test")
    assert Budget.objects.get(pk=budget.pk).remaining_nano == 0
    assert AuditEntry.objects.get().action == "BUDGET_LIMIT_CHANGED"


def test_every_refusal_is_a_ledger_refusal_with_words_of_its_own() -> None:
    """A5: distinct refusals, so that a caller can tell them apart."""
    kinds = (
        AlreadyReserved,
        AmountMismatch,
        InsufficientBudget,
        AmountOutOfRange,
        LimitBelowCommitted,
        NothingHeld,
    )
    assert all(issubclass(kind, LedgerRefusal) for kind in kinds)
    assert len({kind.__doc__ for kind in kinds}) == len(kinds)
