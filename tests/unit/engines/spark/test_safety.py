"""I4: an owner's cluster tells nothing but integers, and is told nothing that it need not know.

What could leak: an error that quotes a cell, a token in a log, a statement that never ends, an
address or a path that is none of the tenant's.
"""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from dpgov.engines import live
from dpgov.engines.base import FAILURE, DataNotOpened, EngineFailure
from dpgov.engines.spark import engine as asking
from dpgov.engines.spark import server as connecting
from dpgov.engines.spark.server import Server, opened
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.servers.loopback import free_port
from tests.unit.engines.spark.owner import Owner
from tests.unit.engines.tables import category, number

pytestmark = pytest.mark.spark

V = number("v", "0", "9")
COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
SUM = ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 0),))


@pytest.fixture(autouse=True)
def file(owner: Owner) -> None:
    owner.has("kept.parquet", {"v": pa.array([1, 4])})


@contextmanager
def _fails(
    how: type[EngineFailure],
    log: pytest.LogCaptureFixture,
    said: pytest.CaptureFixture[str],
    *secrets: str,
) -> Iterator[None]:
    """In the one text, of exactly this class, without a cause, and nothing of it is written."""
    with log.at_level(logging.DEBUG), pytest.raises(EngineFailure) as failed:
        yield
    assert type(failed.value) is how
    assert (str(failed.value), failed.value.args) == (FAILURE, (FAILURE,))
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    written = log.text + "".join(said.readouterr())
    assert [secret for secret in secrets if secret in written] == []


@pytest.mark.parametrize(
    "select",
    [
        "SELECT CAST(concat('can', 'ary', v) AS INT) AS c0 FROM source",
        "SELECT canary FROM source",
        "SELECT 'canary' AS c0",
    ],
)
def test_a_failure_after_opening_reads_like_any_other(
    owner: Owner,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    select: str,
) -> None:
    """I4: what the server says of it quotes what it read."""
    monkeypatch.setattr(asking, "data_sql", lambda *_: select)
    with _fails(EngineFailure, caplog, capfd, "canary", "kept", owner.server.token):
        owner.engine("kept.parquet", [V]).answer(SUM)


def test_a_file_that_is_damaged_behind_its_footer_reads_like_any_other_failure(
    owner: Owner, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """I1, I4: its form is as it was, so nobody sees it before rows are read."""
    path = owner.has("kept.parquet", {"v": pa.array(range(1_000))})
    text = path.read_bytes()
    path.write_bytes(text[:4] + b"\xff" * (len(text) // 2) + text[4 + len(text) // 2 :])
    with _fails(EngineFailure, caplog, capfd, "kept", owner.server.token):
        owner.engine("kept.parquet", [V]).answer(SUM)


def test_a_statement_that_does_not_end_is_ended(
    owner: Owner,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """I4: after its seconds, in the same words; and the next one is answered."""
    endless = "SELECT CAST(id % 7 AS BIGINT) AS c0 FROM range(1000000000000)"
    with monkeypatch.context() as patched, _fails(EngineFailure, caplog, capfd):
        patched.setattr(asking, "data_sql", lambda *_: endless)
        owner.engine("kept.parquet", [V], seconds=3).answer(SUM)
    assert owner.engine("kept.parquet", [V]).answer(SUM) == ((5,),)


@pytest.mark.parametrize(
    "changed", [{"token": "canary"}, {"token": ""}, {"port": free_port()}, {"is_encrypted": True}]
)
def test_a_server_that_lets_nobody_in_was_not_opened(
    owner: Owner,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    changed: dict[str, Any],
) -> None:
    """I4: by its token, because nobody listens, or because it knows no encryption."""
    server = replace(owner.server, **changed)
    allowed = {server.address: [owner.root]}
    source = owner.source("kept.parquet", [V])
    with _fails(DataNotOpened, caplog, capfd, "canary", owner.server.token):
        asking.SparkEngine(server, source, allowed=allowed, key=bytes(32), seconds=30).answer(COUNT)


def test_a_server_that_never_answers_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """I4: also where the time is over before a client is built, which must not end the process."""
    monkeypatch.setattr(connecting, "_CONNECT_SECONDS", 0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = Server("127.0.0.1", silent.getsockname()[1], is_encrypted=False)
        for _ in range(20):
            _tries(server, "s3a://b/f/x", "s3a://b/f/")


def test_tokens_are_shown_nowhere(owner: Owner) -> None:
    """I4: neither of a server nor of an engine."""
    engine = owner.engine("kept.parquet", [V])
    for shown in (repr(owner.server), str(owner.server), repr(engine), repr(vars(engine))):
        assert owner.server.token not in shown


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    """Whom a channel was opened to; none is."""
    found: list[Server] = []
    monkeypatch.setattr(connecting, "_connected", found.append)
    return found


def _tries(server: Server, path: str, *roots: str, address: str = "") -> None:
    allowed = {address or server.address: roots}
    with pytest.raises(DataNotOpened), opened(server, allowed, path, 1):
        raise AssertionError


@pytest.mark.parametrize("host", ["10.0.0.7", "169.254.169.254", "127.0.0.1", "db.example.org"])
def test_a_server_that_is_on_no_list_is_never_called(calls: list[Server], host: str) -> None:
    """I4: neither loopback nor link-local, and not another port of a host that is."""
    server = Server(host, 15002)
    _tries(server, "s3a://b/f/x", "s3a://b/f/", address=f"{host}:15003")
    _tries(server, "s3a://b/f/x", "s3a://b/f/", address=host)
    assert calls == []
    _tries(server, "s3a://b/f/x", "s3a://b/f/")
    assert calls == [server]


@pytest.mark.parametrize("host", ["unix:/run/x", "dns:///x", "a,b", "a/b", "a@b", "", "a b", "[::"])
def test_only_a_name_is_a_host_and_nothing_goes_out_in_the_open(
    calls: list[Server], host: str
) -> None:
    """I4: even if somebody put it on the list; a name is no proof of loopback."""
    _tries(Server(host, 1), "s3a://b/f/x", "s3a://b/f/")
    for name in ("db.example.org", "localhost", "10.0.0.7"):
        _tries(Server(name, 1, is_encrypted=False), "s3a://b/f/x", "s3a://b/f/")
    assert calls == []


@pytest.mark.parametrize(
    "path",
    [
        *("s3a://b/g/x", "s3a://b/f", "s3a://b/f/", "s3a://b/f/../g/x", "s3a://b/f/x/../../g"),
        *("s3a://b/f/*", "s3a://b/f/{x,y}", "s3a://b/f/x?", "s3a://b/f/%2e%2e/g", "s3a://b/f//x"),
        *("s3a://b/f/.hidden", "s3a://b/f/_temporary", "file:///etc/passwd", "s3a://b/f/x#y", ""),
    ],
)
def test_a_path_that_is_on_no_list_is_never_read(calls: list[Server], path: str) -> None:
    """I4: the credentials are the cluster's, and may open more than one tenant's folder."""
    server = Server("db.example.org", 15002)
    _tries(server, path, "s3a://b/f/", "s3a://b/f")
    assert calls == []
    _tries(server, "s3a://b/f/x/year=2024/y.parquet", "s3a://b/f/")
    assert calls == [server]


def test_a_session_depends_on_no_setting_of_the_cluster(owner: Owner) -> None:
    """I4: each is said anew; old dates would fail, files that cannot be read would be left out."""
    source = owner.source("kept.parquet", [V])
    with opened(owner.server, owner.allowed, source.path, 60) as session:
        shown = {name: session.rows(f"SET {name}")[0][1] for name in connecting.SETTINGS}
    assert shown == connecting.SETTINGS


@pytest.mark.parametrize(
    "name", ["we`ird", "a'b; --", "$1", "\u00dcn\u00ef", "SELECT", "u", "c0", "a.b"]
)
def test_names_are_names_whatever_they_are(owner: Owner, name: str) -> None:
    """I4: of columns and of the one that names people."""
    cells = {name: pa.array(["p", "p", "q"]), f"{name} 2": pa.array([1, 2, 3])}
    owner.has("named.parquet", cells)
    columns = [number(f"{name} 2", "0", "9"), category(name, "p", "q")]
    request = replace(SUM, bounds=UnitBounds(2, 2, 0, 2))
    engine = owner.engine("named.parquet", columns, PrivacyUnit(name, 2))
    assert engine.answer(request) == ((6,),)


def test_sums_of_files_that_grew_end_where_noise_is_exact(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2: they are cut and never fail, so that a row too many tells nothing.

    Beside squares nothing is: a sum that stands still while they grow moves what is made of them
    further than any row could. No plan squares codes so wide; here each square is 2^53.
    """
    wide = number("v", "0", str(2**52))
    cells = [2**52] * 4096
    owner.has("grown.parquet", {"v": pa.array(cells)})
    squares = ExactRequest((), (), (*SUM.measures, Measure(MeasureKind.SQUARE_SUM, 0)))
    assert owner.engine("grown.parquet", [wide]).answer(squares) == ((2**64, 2**65),)
    assert owner.engine("grown.parquet", [wide]).answer(SUM) == ((2**53,),)
    monkeypatch.setattr(live, "LARGEST_SUM", 4)
    assert owner.engine("kept.parquet", [V]).answer(SUM) == ((4,),)
