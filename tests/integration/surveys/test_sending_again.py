"""M1: on the command line a reply that was lost is followed by the same report, never by a draw.

What could leak: the answer, k times ε by k draws. What could count k times: a token of the
program's own for each try, in a survey that is open to everybody.
"""

import io
import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from django.core.management import CommandError, call_command

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.randomiser import for_epsilon

LINK = "https://dpgov.example.org/s/0123abcd/#" + "e" * 32


class Server:
    """Keeps what is sent, and answers with what `answers` says next."""

    def __init__(self, *, by_token: bool) -> None:
        rule = for_epsilon(40, NANO)
        self.form = {
            "labels": [str(n) for n in range(40)],
            "mechanism": rule.kind.value,
            "kept": rule.kept,
            "other": rule.other,
            "by_token": by_token,
        }
        self.bodies: list[dict[str, str]] = []
        self.answers: list[Exception | None] = []

    def open(self, request: Any, timeout: int) -> io.BytesIO:
        if request.data is None:
            return io.BytesIO(json.dumps(self.form).encode())
        self.bodies.append(json.loads(request.data))
        if problem := self.answers.pop(0):
            raise problem
        return io.BytesIO(b'{"recorded": true}')


def _spent() -> HTTPError:
    body = {"errors": [{"code": "token_spent", "detail": "An answer was given before."}]}
    return HTTPError("", 409, "", {}, io.BytesIO(json.dumps(body).encode()))  # type: ignore[arg-type]


@pytest.fixture(params=[True, False], ids=["by token", "open to everybody"])
def server(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Server:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = Server(by_token=request.param)
    monkeypatch.setattr("urllib.request.urlopen", made.open)
    return made


def _kept(folder: Path) -> Path:
    (only,) = (folder / "dpgov").iterdir()
    return only


def test_a_reply_that_was_lost_is_followed_by_the_same_report(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """M1: of 40 bits, whatever is typed then; a token that is spent by then means an arrival."""
    server.answers = [URLError("the reply was lost"), _spent()]
    with pytest.raises(CommandError, match="Try the same later"):
        call_command("respond", LINK, "7")
    assert _kept(tmp_path).stat().st_mode & 0o777 == 0o600
    assert "e" * 32 not in _kept(tmp_path).name
    call_command("respond", LINK, "8")
    first, second = server.bodies
    assert first == second
    told = capsys.readouterr().out
    assert "tells ε 1" in told or "tells ε 0.99" in told
    assert "It was counted" in told


@pytest.mark.parametrize(
    "host", ["DPgov.example.org", "dpgov.example.org:443", "me@dpgov.example.org"]
)
def test_another_spelling_of_the_host_draws_nothing_anew(server: Server, host: str) -> None:
    """M1: what was drawn for a survey is sent, however its link is typed."""
    server.answers = [URLError("the reply was lost"), None]
    with pytest.raises(CommandError, match="Try the same later"):
        call_command("respond", LINK, "7")
    call_command("respond", LINK.replace("dpgov.example.org", host), "8")
    assert server.bodies[0] == server.bodies[1]


def test_a_token_that_somebody_else_spent_is_never_called_counted(server: Server) -> None:
    """M1: neither at the first try nor at the next."""
    server.answers = [_spent(), _spent()]
    for _again in range(2):
        with pytest.raises(CommandError, match="was given before"):
            call_command("respond", LINK, "7")
    assert server.bodies[0] == server.bodies[1]


def test_what_cannot_be_kept_is_not_sent(server: Server, tmp_path: Path) -> None:
    """M1: no folder, no report."""
    file = tmp_path / "a file"
    file.touch()
    with pytest.raises(CommandError, match="nothing was sent"):
        call_command("respond", LINK, "7", keep_in=file)
    assert server.bodies == []


def test_link_and_answer_are_read_from_input(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M1: arguments are seen by everybody on the machine."""
    server.answers = [None]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{LINK}\n7\n"))
    call_command("respond")
    assert len(server.bodies[0]["report"]) == 40
