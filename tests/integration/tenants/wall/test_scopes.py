"""H2: who a connection acts for ends with the block, however the block ends."""

import threading
from collections.abc import Callable

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from dpgov.queries.models import Query
from dpgov.tenants import boundary
from dpgov.tenants.boundary import acting_for, change_to, current_scope
from dpgov.tenants.models import Membership
from tests.integration.tenants.wall.conftest import connected_as, rows, told
from tests.servers.postgres import APP

Two = tuple[Membership, Membership]
OWNER = ("dpgov", "all")


@pytest.mark.django_db
def test_blocks_nest_and_end(two_tenants: Two) -> None:
    """H2: the inner block counts, then the outer one again, then nobody."""
    ours, theirs = (str(member.tenant_id) for member in two_tenants)
    with acting_for(two_tenants[0].tenant_id):
        assert told() == (APP, ours)
        with acting_for(two_tenants[1].tenant_id):
            assert told() == (APP, theirs)
        assert told() == (APP, ours)
        with acting_for(None):
            assert told() == (APP, "")
    assert told() == OWNER
    assert current_scope() is None


@pytest.mark.django_db
def test_a_request_may_find_its_tenant_late_but_not_outside_of_a_block(two_tenants: Two) -> None:
    """H2: whoever changes the tenant has somebody who takes it back."""
    with acting_for(None):
        change_to(two_tenants[0].tenant_id)
        assert told()[1] == str(two_tenants[0].tenant_id)
    assert told() == OWNER
    with pytest.raises(RuntimeError, match="enter acting_for"):
        change_to(two_tenants[0].tenant_id)


@pytest.mark.django_db
def test_an_exception_takes_the_tenant_along(two_tenants: Two) -> None:
    """H2: a reused connection after an exception of Python's."""
    with pytest.raises(ZeroDivisionError), acting_for(two_tenants[0].tenant_id):
        raise ZeroDivisionError
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", ["block inside", "block outside"])
def test_a_failed_transaction_takes_the_tenant_along(order: str, two_tenants: Two) -> None:
    """H2: where no statement is accepted any more, the rollback takes it back."""
    first, second = acting_for(two_tenants[0].tenant_id), transaction.atomic()
    outer, inner = (second, first) if order == "block inside" else (first, second)
    with pytest.raises(DatabaseError, match="division by zero"), outer, inner:
        rows("SELECT 1 / 0")
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_block_in_a_transaction_leaves_nothing(two_tenants: Two) -> None:
    """H2: the setting is as transactional as the rows."""
    with transaction.atomic():
        with acting_for(two_tenants[0].tenant_id):
            assert told()[0] == APP
        assert told() == OWNER
        transaction.set_rollback(True)
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_comes_back_with_the_same_tenant_and_leaves_without(
    two_tenants: Two,
) -> None:
    """H2, B9: what is opened in its place acts for the same tenant, and for nobody afterwards."""
    ours = two_tenants[0]
    with acting_for(ours.tenant_id):
        with connected_as("dpgov") as other:
            other.execute("SELECT pg_terminate_backend(%s)", rows("SELECT pg_backend_pid()")[0])
        with pytest.raises(OperationalError):
            rows("SELECT 1")
        connection.close()
        assert told() == (APP, str(ours.tenant_id))
        assert set(Query.objects.values_list("tenant_id", flat=True)) == {ours.tenant_id}
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_cannot_forget_is_closed(
    two_tenants: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H2: rather no connection than one that acts for somebody."""

    def fail() -> None:
        raise DatabaseError("away")

    with acting_for(two_tenants[0].tenant_id):
        before = connection.connection
        monkeypatch.setattr(boundary, "_forget", fail)
    assert before.closed
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
def test_threads_act_each_for_their_own_tenant(two_tenants: Two) -> None:
    """H2: at the same moment, and a new thread for nobody."""
    meet = threading.Barrier(3, timeout=30)
    seen: dict[str, object] = {}

    def act(name: str, member: Membership) -> None:
        with acting_for(member.tenant_id):
            meet.wait()
            seen[name] = set(Query.objects.values_list("tenant_id", flat=True))
            meet.wait()
        connection.close()

    def idle() -> None:
        meet.wait()
        seen["nobody"] = current_scope()
        meet.wait()

    _in_threads(lambda: act("ours", two_tenants[0]), lambda: act("theirs", two_tenants[1]), idle)
    assert seen == {
        "ours": {two_tenants[0].tenant_id},
        "theirs": {two_tenants[1].tenant_id},
        "nobody": None,
    }


def _in_threads(*steps: Callable[[], None]) -> None:
    threads = [threading.Thread(target=step) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
