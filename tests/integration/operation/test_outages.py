"""The product's own processes, while their database or their broker is away."""

import threading
from collections.abc import Iterator

import pytest

from tests.integration.operation.installation import Installation, installation
from tests.servers.waiting import until

pytestmark = pytest.mark.long
AWAY_SECONDS = 10
CLIENTS = 4
UNFINISHED = "SELECT count(*) FROM queries_query WHERE state IN ('queued', 'running')"


@pytest.fixture(scope="module")
def product() -> Iterator[Installation]:
    with installation() as made:
        yield made


class Load:
    """Clients that ask without pause, each question under one key until it is accepted."""

    def __init__(self, product: Installation, name: str) -> None:
        self._product, self._name = product, name
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, args=(number,)) for number in range(CLIENTS)
        ]
        self.accepted: dict[str, str] = {}
        self.refused = 0

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, client: int) -> None:
        number = 0
        while not self._stop.is_set():
            key = f"{self._name}-{client}-{number}"
            self._until_accepted(key)
            number += 1

    def _until_accepted(self, key: str) -> None:
        def is_accepted() -> bool:
            status, body = self._product.ask(key)
            if status not in (200, 202):
                self.refused += 1
                return False
            self.accepted[key] = body["id"]
            return True

        until(is_accepted, f"{key} is never accepted", every=0.2)

    def goes_on(self) -> None:
        """Wait until each client has had another question accepted."""
        enough = len(self.accepted) + 2 * CLIENTS
        until(lambda: len(self.accepted) >= enough, "nothing is accepted")


def test_ten_seconds_without_the_database_lose_nothing_and_repeat_nothing(
    product: Installation,
) -> None:
    """B9: under load; every process lives through it, and a client's retry finds its question."""
    with Load(product, "away") as load:
        load.goes_on()
        product.database.cut()
        assert product.probe("/healthz") == 200
        until(lambda: product.probe("/readyz") == 503, "it says that it is ready")
        _wait(AWAY_SECONDS)
        product.database.restore()
        until(lambda: product.probe("/readyz") == 200, "it did not come back")
        load.goes_on()
    assert load.refused > 0, "the control: the database was away"
    _all_is_well(product, load)
    assert "the database is away" in product.log("sweeper")


def test_connections_that_break_in_the_middle_lose_nothing_and_repeat_nothing(
    product: Installation,
) -> None:
    """B9: every connection is ended five times a second, wherever it was."""
    with Load(product, "broken") as load:
        for _ in range(40):
            _wait(0.2)
            product.database.drop()
    assert product.database.cuts > 40
    _all_is_well(product, load)


def test_a_retry_after_a_commit_that_nobody_heard_of_finds_the_same_question(
    product: Installation,
) -> None:
    """B9: the connection is cut between COMMIT and its reply."""
    product.database.swallow_next_commit()
    status, _ = product.ask("unheard")
    assert product.database.swallowed
    assert status not in (200, 202), "the control: the reply was lost"
    assert len(product.rows("SELECT 1 FROM queries_query WHERE idempotency_key='unheard'")) == 1
    status, body = product.ask("unheard")
    assert status in (200, 202)
    rows = product.rows("SELECT id::text FROM queries_query WHERE idempotency_key='unheard'")
    assert rows == [(body["id"],)]


def test_without_the_broker_questions_are_accepted_and_answered_when_it_is_back(
    product: Installation,
) -> None:
    """B8: the messages of the outage are lost for good; the sweeper sends them again."""
    with Load(product, "no-broker") as load:
        product.broker.cut()
        _wait(AWAY_SECONDS)
    assert load.refused == 0
    assert len(load.accepted) > CLIENTS
    product.broker.restore()
    _all_is_well(product, load)


def _all_is_well(product: Installation, load: Load) -> None:
    """Each key has one question, each question one charge and one release, and it all adds up."""
    until(lambda: product.rows(UNFINISHED) == [(0,)], "questions were lost")
    assert product.all_alive()
    stored = dict(product.rows("SELECT idempotency_key, id::text FROM queries_query"))
    assert {key: stored.get(key) for key in load.accepted} == load.accepted
    twice = """
        SELECT q.id FROM queries_query q
        WHERE (SELECT count(*) FROM queries_release r WHERE r.query_id = q.id) > 1
           OR (SELECT count(*) FROM budgets_charge c WHERE c.query_id = q.id)
              <> (q.state IN ('released', 'failed'))::int
    """
    assert product.rows(twice) == []
    product.manage("verify_ledger")


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)
