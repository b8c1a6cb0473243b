"""What the programs of pages need: a server, a token, and workers that work while they wait."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.tenants.models import Membership
from tests.cast import make_token

RunPage = Callable[[Path], str]


@pytest.fixture
def run_page(
    analyst: Membership,
    live_server: LiveServer,
    answer_all: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> RunPage:
    """Run the one program of a page as it stands there, as an analyst; what it prints."""
    real_sleep = time.sleep

    def answered_meanwhile(_seconds: float) -> None:
        """The workers work while the program waits."""
        monkeypatch.setattr(time, "sleep", real_sleep)
        answer_all()
        monkeypatch.setattr(time, "sleep", answered_meanwhile)

    def run(page: Path) -> str:
        (code,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        monkeypatch.setenv("DPGOV_SERVER", live_server.url)
        monkeypatch.setenv("DPGOV_TOKEN", make_token(analyst, "nightly")[1])
        monkeypatch.setattr(time, "sleep", answered_meanwhile)
        names: dict[str, Any] = {"__name__": "asking"}
        exec(compile(code, page.name, "exec"), names)  # noqa: S102 - our own page
        return capsys.readouterr().out

    return run
