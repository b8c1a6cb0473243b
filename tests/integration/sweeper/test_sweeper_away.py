"""A9: a sweeper in a database that moved lives, and does for others what it may.

What could leak: what a backup lacks, done once more for whoever could not be frozen yet.
"""

from typing import Any

import pytest
from django.core.management import call_command
from structlog.testing import capture_logs

from dpgov.audit.models import AuditCheckpoint
from dpgov.budgets.models import DatabaseMark
from dpgov.budgets.services import freezing
from dpgov.budgets.services.freezing import moved
from dpgov.datasets.models import Dataset
from dpgov.notices.models import Event
from dpgov.queries.answering.heartbeat import last_beat
from dpgov.queries.answering.sweep import Swept
from dpgov.queries.models import Query
from dpgov.sweeper import notices
from dpgov.sweeper.management.commands import sweep
from tests.integration.audit.worlds import World, cannot_be_frozen

pytestmark = pytest.mark.django_db(transaction=True)
WAITS = (
    "sweep",
    "joint_round",
    "arrivals_round",
    "remove_orphans",
    "end_retention",
    "finish_deletions",
)
GOES_ON = ("_miss_files", "tally_round", "checkpoint_round", "notices_round")


@pytest.fixture
def away(world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """In a database that moved, whose other organisation cannot be frozen."""
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "home"})
    monkeypatch.setattr(freezing, "identity", lambda: "elsewhere")
    return foreign_dataset


def sweep_rounds(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the service does, so many of them."""
    rounds: list[int] = []

    class Stop:
        def listen(self) -> None: ...

        def wait(self, _seconds: float) -> bool:
            rounds.append(1)
            return len(rounds) > number

    with monkeypatch.context() as patch:
        patch.setattr(sweep, "StopRequest", Stop)
        call_command("sweep", "--every", "0")


def test_it_lives_and_says_so_signs_the_logs_and_tells_of_what_was_frozen(
    world: World, away: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: who can be frozen is, and hears of it; operators read in each round who cannot."""
    with monkeypatch.context() as patch, capture_logs() as logged:
        cannot_be_frozen(away, patch)
        sweep_rounds(2, patch)
    told = [entry for entry in logged if entry["event"].startswith("nothing is admitted")]
    assert [(entry["log_level"], entry["why"]) for entry in told] == [
        ("error", "not frozen: elsewhere")
    ] * 2
    assert (world.is_frozen(), moved()) == (True, True)
    beat = last_beat()
    assert beat is not None
    assert beat.sweeps.rounds == 2
    signed = set(AuditCheckpoint.objects.values_list("tenant_id", flat=True))
    assert signed == {world.tenant_id, away.tenant_id}
    assert Event.objects.filter(tenant_id=world.tenant_id).exists()
    sweep_rounds(1, monkeypatch)
    assert not moved()


def test_what_a_backup_may_lack_is_done_for_nobody(
    away: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: every step of a round is here, and waits or goes on."""
    done: list[str] = []
    for name in (*WAITS, *GOES_ON):
        monkeypatch.setattr(sweep, name, _noting(name, done))
    with monkeypatch.context() as patch:
        cannot_be_frozen(away, patch)
        call_command("sweep")
    assert done == list(GOES_ON)
    done.clear()
    call_command("sweep")
    assert sorted(done) == sorted((*WAITS, *GOES_ON))


def test_no_question_is_given_back_that_may_have_been_answered_elsewhere(
    away: Dataset, world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: it holds what it costs until an officer has spoken, although its time is over."""
    with monkeypatch.context() as patch:
        patch.setattr(freezing, "identity", lambda: "home")
        world.ask()
    settings.DPGOV_EXPIRY_SECONDS = 0
    with monkeypatch.context() as patch:
        cannot_be_frozen(world.dataset, patch)
        sweep_rounds(2, patch)
        assert not world.is_frozen()
    sweep_rounds(1, monkeypatch)
    assert world.is_frozen()
    assert Query.objects.get().state == Query.State.QUEUED


def test_a_survey_sends_no_letter_while_it_may_be_frozen_yet(
    away: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: whoever answered it in what the backup lacks would be asked once more."""
    sent: list[str] = []

    def send(_tenant: object, **_: object) -> int:
        sent.append("survey")
        return 0

    def other(_tenant: object, **_: object) -> int:
        sent.append("other")
        return 0

    monkeypatch.setattr(notices, "send_survey_letters", send)
    monkeypatch.setattr(notices, "_STEPS", (other, send))
    with monkeypatch.context() as patch:
        cannot_be_frozen(away, patch)
        sweep_rounds(1, patch)
    assert sent == ["other", "other"]
    sweep_rounds(1, monkeypatch)
    assert sent.count("survey") == 2


def _noting(name: str, done: list[str]) -> Any:
    def step(*_: object, **__: object) -> Any:
        done.append(name)
        return Swept(sent=0, given_up=0)

    step.__name__ = name
    return step
