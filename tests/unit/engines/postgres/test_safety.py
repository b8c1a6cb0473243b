"""I4: an owner's server tells nothing but integers, and is told nothing that it need not know.

What could leak: an error that quotes a cell, a password in a log, a statement that writes or never
ends, an address of a network that is none of the tenant's.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from dpgov.engines import live
from dpgov.engines.base import FAILURE, DataNotOpened, EngineFailure
from dpgov.engines.postgres import engine as asking
from dpgov.engines.postgres import rows
from dpgov.engines.postgres import server as connecting
from dpgov.engines.postgres.engine import check_source
from dpgov.engines.postgres.server import Server, opened
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.unit.engines.postgres.owner import KEY, READER, Owner
from tests.unit.engines.tables import category, number

V = number("v", "0", "9")
COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
SUM = ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 0),))


@pytest.fixture(autouse=True)
def table(owner: Owner) -> None:
    owner.has("kept", {"v": "integer"}, [(1,), (4,)])


@contextmanager
def _fails(
    how: type[EngineFailure], log: pytest.LogCaptureFixture, *secrets: str
) -> Iterator[None]:
    """In the one text, of exactly this class, without a cause, and nothing of it in a log."""
    with log.at_level(logging.DEBUG), pytest.raises(EngineFailure) as failed:
        yield
    assert type(failed.value) is how
    assert (str(failed.value), failed.value.args) == (FAILURE, (FAILURE,))
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    assert [secret for secret in secrets if secret in log.text] == []


def _reads(monkeypatch: pytest.MonkeyPatch, select: str) -> None:
    monkeypatch.setattr(asking, "data_sql", lambda *_: select)


@pytest.mark.parametrize(
    "select",
    ["SELECT 'canary'::integer AS c0", "SELECT raises FROM kept", "SELECT NULL, 'canary' AS c0"],
)
def test_a_failure_after_opening_reads_like_any_other(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, select: str
) -> None:
    """I4: what the server says of it quotes what it read."""
    _reads(monkeypatch, select)
    with _fails(EngineFailure, caplog, "canary", "kept", owner.server.password):
        owner.engine("kept", [V]).answer(SUM)


def test_a_statement_that_does_not_end_is_ended(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """I4: after its seconds, in the same words."""
    _reads(monkeypatch, "SELECT 1 AS c0 FROM pg_sleep(600)")
    with _fails(EngineFailure, caplog):
        owner.engine("kept", [V], seconds=1).answer(SUM)


def test_a_lock_that_somebody_holds_is_not_waited_for(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """I4: nothing was read, so nothing is charged."""
    monkeypatch.setitem(connecting._SETTINGS, "lock_timeout", 50)
    with owner.admin.transaction():
        owner.does("LOCK TABLE kept")
        with _fails(DataNotOpened, caplog):
            owner.engine("kept", [V]).answer(COUNT)
        with _fails(DataNotOpened, caplog):
            source = owner.source("kept", [V])
            check_source(owner.server, source, allowed=[owner.server.address])
    assert owner.engine("kept", [V]).answer(COUNT) == ((2,),)


@pytest.mark.parametrize(
    "changed",
    [{"password": "canary"}, {"user": "canary"}, {"database": "canary"}, {"encryption": "require"}],
)
def test_a_server_that_lets_nobody_in_was_not_opened(
    owner: Owner, caplog: pytest.LogCaptureFixture, changed: dict[str, Any]
) -> None:
    """I4: by password, role, database, or because it knows no encryption."""
    with _fails(DataNotOpened, caplog, "canary", owner.server.password, READER):
        owner.engine("kept", [V], **changed).answer(COUNT)


def test_passwords_are_shown_nowhere(owner: Owner) -> None:
    """I4: neither of a server nor of an engine."""
    engine = owner.engine("kept", [V])
    for shown in (repr(owner.server), str(owner.server), repr(engine), repr(vars(engine))):
        assert owner.server.password not in shown


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What libpq was asked for; it connects to nothing."""
    found: list[dict[str, Any]] = []

    def connect(**options: Any) -> None:
        found.append(options)
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg, "connect", connect)
    return found


def _tries(server: Server, *allowed: str) -> None:
    with pytest.raises(DataNotOpened), opened(server, allowed, 1):
        raise AssertionError


@pytest.mark.parametrize("host", ["10.0.0.7", "169.254.169.254", "127.0.0.1", "db.example.org"])
def test_a_server_that_is_on_no_list_is_never_called(
    owner: Owner, calls: list[dict[str, Any]], host: str
) -> None:
    """I4: neither loopback nor link-local, and not another port of a host that is."""
    server = replace(owner.server, host=host, encryption="verify-full")
    _tries(server)
    _tries(server, host, f"{host}:{server.port + 1}", f"x{server.address}", "")
    assert calls == []
    _tries(server, server.address)
    assert len(calls) == 1


@pytest.mark.parametrize("host", ["/run", "@run", "127.0.0.1,10.0.0.7"])
def test_sockets_and_lists_are_no_hosts(
    owner: Owner, calls: list[dict[str, Any]], host: str
) -> None:
    """I4: even if somebody put them on the list."""
    server = replace(owner.server, host=host, encryption="verify-full")
    _tries(server, server.address)
    assert calls == []


@pytest.mark.parametrize("encryption", ["disable", "allow", "prefer", ""])
def test_nothing_is_sent_in_the_open_beyond_this_machine(
    owner: Owner, calls: list[dict[str, Any]], encryption: str
) -> None:
    """I4: a name is no proof of loopback; what is said by default proves the server's name."""
    for host in ("db.example.org", "localhost", "10.0.0.7"):
        server = replace(owner.server, host=host, encryption=encryption)
        _tries(server, server.address)
    assert calls == []
    named = Server("db.example.org", 5432, "d", "u", "p")
    _tries(named, named.address)
    said = {name: calls[0][name] for name in ("sslmode", "sslrootcert", "gssencmode")}
    assert said == {"sslmode": "verify-full", "sslrootcert": "system", "gssencmode": "disable"}


def test_a_connection_can_only_read_whatever_the_role_is_told(owner: Owner) -> None:
    """I4: settings of the role count for nothing, and rights to write neither."""
    owner.does(f"GRANT INSERT ON kept TO {READER}")
    owner.does(f"ALTER ROLE {READER} SET default_transaction_read_only = off")
    owner.does(f"ALTER ROLE {READER} SET search_path = public, pg_catalog")
    owner.does(f"ALTER ROLE {READER} SET statement_timeout = 0")
    try:
        with opened(owner.server, [owner.server.address], 7) as connection:
            shown = {
                name: connection.execute(f"SHOW {name}").fetchall()[0][0]
                for name in (
                    *("default_transaction_read_only", "transaction_read_only", "search_path"),
                    *("transaction_isolation", "statement_timeout", "lock_timeout"),
                    *("application_name", "row_security"),
                )
            }
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                connection.execute("INSERT INTO public.kept VALUES (1)")
    finally:
        owner.does(f"ALTER ROLE {READER} RESET ALL")
    assert shown == {
        "default_transaction_read_only": "on",
        "transaction_read_only": "on",
        "search_path": "pg_catalog,pg_temp",
        "transaction_isolation": "read committed",
        "statement_timeout": "7s",
        "lock_timeout": "5s",
        "application_name": "dpgov",
        "row_security": "off",
    }


def test_functions_of_others_are_never_called(owner: Owner) -> None:
    """I4: one that is nearer on the role's path than the database's own."""
    owner.has("spelt", {"c": "text"}, [(" a ",)])
    owner.does(
        "CREATE FUNCTION public.btrim(text, text) RETURNS text LANGUAGE sql AS $$SELECT 'b'$$"
    )
    owner.does(f"ALTER ROLE {READER} SET search_path = public, pg_catalog")
    by_word = ExactRequest((), (CodeGrouping(0, ((0, 0), (1, 1))),), COUNT.measures)
    try:
        answer = owner.engine("spelt", [category("c", "a", "b")]).answer(by_word)
    finally:
        owner.does(f"ALTER ROLE {READER} RESET ALL")
        owner.does("DROP FUNCTION public.btrim")
    assert answer == ((1,), (0,), (0,))


@pytest.mark.parametrize("name", ['we"ird', "%s%", "$1", "a'b; --", "Ünï", "SELECT", "u", "c0"])
def test_names_are_names_whatever_they_are(owner: Owner, name: str) -> None:
    """I4: of tables, of columns and of the one that names people."""
    owner.has(name, {name: "text", f"{name} 2": "integer"}, [("p", 1), ("p", 2), ("q", 3)])
    columns = [number(f"{name} 2", "0", "9"), category(name, "p", "q")]
    request = replace(SUM, bounds=UnitBounds(2, 2, 0, 2))
    assert owner.engine(name, columns, PrivacyUnit(name, 2)).answer(request) == ((6,),)


def test_what_the_server_may_write_down_holds_no_secret_of_ours(owner: Owner) -> None:
    """I4: its log of statements has codes and declarations, no key and no password."""
    owner.has("logged", {"id": "text", "v": "integer"}, [("a cell", at) for at in range(3)])
    owner.does(f"ALTER ROLE {READER} SET log_statement = 'all'")
    try:
        engine = owner.engine("logged", [V], PrivacyUnit("id", 2))
        engine.answer(replace(SUM, bounds=UnitBounds(2)))
    finally:
        owner.does(f"ALTER ROLE {READER} RESET ALL")
    written = owner.log.read_text()
    assert "WITH data AS" in written
    told = (KEY.hex(), repr(KEY), owner.server.password, "a cell")
    assert [secret for secret in told if secret in written] == []


def test_a_table_that_changes_meanwhile_is_read_as_it_is_when_it_is_asked(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I4: the one statement that reads rows has one snapshot; what is asked of them is one sum."""
    kept: Callable[..., str] = rows.data_sql

    def changed(*asked: Any) -> str:
        owner.does("INSERT INTO kept VALUES (7)")
        return kept(*asked)

    monkeypatch.setattr(asking, "data_sql", changed)
    engine = owner.engine("kept", [V])
    assert engine.answer(SUM) == ((12,),)
    assert engine.answer(SUM) == ((19,),)


def test_sums_of_a_table_that_grew_end_where_noise_is_exact(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2: they are cut and never fail, so that a row too many tells nothing.

    Beside squares nothing is: a sum that stands still while they grow moves what is made of them
    further than any row could.
    """
    monkeypatch.setattr(live, "LARGEST_SUM", 4)
    assert owner.engine("kept", [V]).answer(SUM) == ((4,),)
    assert owner.engine("kept", [V]).answer(COUNT) == ((2,),)
    squares = replace(SUM, measures=(*SUM.measures, Measure(MeasureKind.SQUARE_SUM, 0)))
    assert owner.engine("kept", [V]).answer(squares) == ((5, 17),)
