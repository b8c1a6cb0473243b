"""A state folder that refuses: the sweeper's round goes on to what needs none."""

from typing import Any

import pytest
from django.core.management import call_command

from dpgov.sweeper.management.commands import sweep

pytestmark = pytest.mark.django_db(transaction=True)
CLEARING = ("remove_orphans", "end_retention", "finish_deletions")


def _refuse() -> None:
    raise PermissionError


@pytest.mark.parametrize("broken", CLEARING)
def test_a_state_folder_that_refuses_holds_up_no_other_step_of_the_round(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notices come last, and waited as long as nobody mended the folder."""
    done: list[str] = []
    for name in (*CLEARING, "notices_round"):
        monkeypatch.setattr(sweep, name, _named(name, done, refuse=name == broken))
    call_command("sweep")
    assert done == [*CLEARING, "notices_round"]


def _named(name: str, done: list[str], *, refuse: bool) -> Any:
    def step(*_: object) -> None:
        done.append(name)
        if refuse:
            _refuse()

    step.__name__ = name
    return step


def test_a_sweeper_that_cannot_touch_its_file_sweeps_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at that file restarts it; on a machine without one nobody would."""
    rounds: list[int] = []

    class Stop:
        def listen(self) -> None: ...

        def wait(self, _seconds: float) -> bool:
            rounds.append(1)
            return len(rounds) > 2

    def refuse(_name: str) -> None:
        _refuse()

    monkeypatch.setattr(sweep, "StopRequest", Stop)
    monkeypatch.setattr(sweep, "mark_ready", refuse)
    call_command("sweep", "--every", "0")
    assert len(rounds) == 3
