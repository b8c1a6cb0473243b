"""Whose turn it is: no organisation's backlog delays another's question by more than a few."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone

from dpgov.datasets.models import Dataset
from dpgov.queries.answering import answer as answering
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.answering.lease import claim
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.answering.tasks import MOST_MESSAGES, look, messages
from dpgov.queries.answering.turns import HeavyPlaces, is_heavy, next_turn, waiting_by_lane
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.declared import declare_otherwise

pytestmark = pytest.mark.django_db(transaction=True)

Asking = Callable[..., Query]
BACKLOG = 2_000


@pytest.fixture(autouse=True)
def _empty_broker() -> Iterator[None]:
    current_app.control.purge()
    yield
    current_app.control.purge()


def many(first: Query, number: int) -> None:
    """Twins of a waiting question, as rows alone: what stands behind them is not looked at."""
    fields = {f.attname: getattr(first, f.attname) for f in Query._meta.concrete_fields}
    del fields["id"]
    Query.objects.bulk_create(
        Query(**{**fields, "idempotency_key": f"twin-{n}"}) for n in range(number)
    )


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[Query]:
    """The questions that workers took, in this order; each ends at once, without any work."""
    taken: list[Query] = []

    def note(held: object) -> bool:
        query: Query = held.query  # type: ignore[attr-defined]
        taken.append(query)
        Query.objects.filter(pk=query.pk).update(state=Query.State.VOIDED)
        return True

    monkeypatch.setattr(answering, "_answer", note)
    return taken


@pytest.mark.tampers_with_ledger
def test_two_thousand_questions_of_one_organisation_delay_another_s_by_one(
    analyst: Membership,
    stranger: Membership,
    ask: Asking,
    foreign_dataset: Dataset,
    order: list[Query],
) -> None:
    """L11, S10, R8: counted in questions of the other organisation that come before it."""
    many(ask(analyst, epsilon=0.001), BACKLOG - 1)
    for _ in range(3):
        assert answer_next()
    asked = [ask(stranger, of=foreign_dataset, epsilon=0.001) for _ in range(3)]
    for _ in range(10):
        assert answer_next()
    tenants = [query.tenant_id for query in order[3:]]
    assert tenants.index(stranger.tenant_id) <= 1
    assert [q.pk for q in order if q.tenant_id == stranger.tenant_id] == [q.pk for q in asked]
    assert tenants[:6].count(stranger.tenant_id) == 3, "they take turns"
    assert waiting_by_lane()[False].number == BACKLOG - 10


@pytest.mark.tampers_with_ledger
def test_a_backlog_of_two_thousand_never_has_more_messages_than_questions(
    analyst: Membership, ask: Asking, order: list[Query]
) -> None:
    """L11, R1: workers away and back, the broker emptied in between, sweeps all the time."""
    many(ask(analyst, epsilon=0.001), BACKLOG - 1)
    Query.objects.update(submitted_at=timezone.now() - timedelta(seconds=10))
    for round_number in range(6):
        if round_number == 3:
            current_app.control.purge()
        Query.objects.update(send_after=None)
        sweep()
        assert (messages() or 0) <= MOST_MESSAGES
    assert messages() == MOST_MESSAGES
    Query.objects.filter(pk__in=list(Query.objects.values_list("pk", flat=True)[5:])).delete()
    current_app.control.purge()
    look()
    while messages():
        current_app.control.purge()
        look()
    assert len(order) == 5, "one message is enough: who is done wakes the next one"


def test_who_has_fewer_questions_at_work_comes_first(
    analyst: Membership, stranger: Membership, ask: Asking, foreign_dataset: Dataset
) -> None:
    """S10: also where the other one waits longer."""
    for _ in range(4):
        ask(analyst, epsilon=0.001)
    for _ in range(2):
        ask(stranger, of=foreign_dataset, epsilon=0.001)
    taken = []
    for _ in range(3):
        with transaction.atomic():
            turn = next_turn()
            assert turn is not None
            with acting_for(turn.tenant_id):
                assert claim(turn.query_id, turn=turn.number) is not None
        taken.append(turn)
    tenants = [turn.tenant_id for turn in taken]
    assert tenants == [analyst.tenant_id, stranger.tenant_id, analyst.tenant_id]
    assert all(earlier.number < later.number for earlier, later in pairwise(taken))
    with acting_for(analyst.tenant_id):
        mine = [turn.query_id for turn in taken if turn.tenant_id == analyst.tenant_id]
        Query.objects.filter(pk__in=mine).update(state=Query.State.VOIDED)
    with transaction.atomic():
        turn = next_turn()
    assert turn is not None
    assert turn.tenant_id == analyst.tenant_id, "nothing of theirs is at work, though served last"


@pytest.mark.production
def test_two_workers_at_once_take_two_questions(analyst: Membership, ask: Asking) -> None:
    """B3: what one looks at, the other passes over."""
    ask(analyst, epsilon=0.001)
    ask(analyst, epsilon=0.001)
    seen: list[object] = []

    def elsewhere() -> None:
        with transaction.atomic():
            seen.append(next_turn())
        connection.close()

    with transaction.atomic():
        seen.append(next_turn())
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
    assert None not in seen
    assert len({turn.query_id for turn in seen}) == 2  # type: ignore[attr-defined]


@pytest.mark.tampers_with_ledger
def test_a_process_without_a_heavy_place_takes_light_questions_only(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch, order: list[Query]
) -> None:
    """R8: four long scans stand before nobody's short one."""
    heavy, light = ask(analyst, epsilon=0.001), ask(analyst, epsilon=0.001)
    Query.objects.filter(pk=heavy.pk).update(heavy=True)
    monkeypatch.setattr(HeavyPlaces, "enter", lambda: False)
    assert (answer_next(), answer_next()) == (True, False)
    assert [query.pk for query in order] == [light.pk]
    assert {lane: found.number for lane, found in waiting_by_lane().items()} == {False: 0, True: 1}
    monkeypatch.setattr(HeavyPlaces, "enter", lambda: True)
    assert answer_next()
    assert [query.pk for query in order] == [light.pk, heavy.pk]


PLACES = """
import os, signal, sys
import django
django.setup()
from dpgov.queries.answering.turns import HeavyPlaces
HeavyPlaces.open(3)
def child():
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(tell, b"1" if HeavyPlaces.enter() else b"0")
        signal.pause()
    return pid, os.read(told, 1)
children = [child() for _ in range(3)]
os.kill(children[0][0], signal.SIGKILL)
os.waitpid(children[0][0], 0)
children.append(child())
print("".join(said.decode() for _, said in children))
for pid, _ in children[1:]:
    os.kill(pid, signal.SIGKILL)
"""


def test_one_process_is_kept_for_light_questions_and_the_dead_give_their_place_back() -> None:
    """R8, B1: of three processes two may be at a heavy question, whatever becomes of them."""
    done = subprocess.run(
        [sys.executable, "-c", PLACES],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "dpgov.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1101"


def test_a_question_s_lane_is_a_function_of_its_plan_and_of_declared_numbers(
    dataset: Dataset, analyst: Membership, ask: Asking
) -> None:
    """R8, E4: by the model of duration classes, for as many rows as there may be at all."""
    plan = {"dataset": dataset.slug, "statistics": [{"statistic": "count"}], "epsilon": 0.5}
    small = priced_blueprint(dataset, plan)
    declare_otherwise(Dataset.objects.all(), max_rows=1_000_000_000)
    dataset.refresh_from_db()
    large = priced_blueprint(dataset, plan)
    assert (is_heavy(small), is_heavy(large)) == (False, True)
    assert ask(analyst, of=dataset).heavy
