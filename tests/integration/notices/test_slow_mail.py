"""H7: a mail server that takes its time, or a letter to everybody, holds up neither the sweeper nor
what other organisations wait for.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend

from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Notice, State
from dpgov.operation import clock
from dpgov.queries.answering.heartbeat import last_beat
from dpgov.queries.models import Sweeper
from dpgov.surveys.models import SurveyLetter
from dpgov.surveys.services import send_survey_letters, write_letters
from dpgov.sweeper import notices
from dpgov.sweeper.management.commands import sweep
from dpgov.sweeper.notices import Turns, notices_round
from dpgov.tenants.models import Membership, Tenant
from tests.integration.surveys.made import opened
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)
_STEP = 4.0


class Watch:
    """A clock that stands still but where a test lets it run."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def takes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    made = Watch()
    monkeypatch.setattr(clock, "running", lambda: made.now)
    return made


@pytest.fixture
def slow(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each letter takes four seconds, of the ten that an organisation has in a round."""
    real = EmailMessage.send

    def send(letter: EmailMessage) -> int:
        watch.takes(_STEP)
        return real(letter)

    monkeypatch.setattr(EmailMessage, "send", send)


def happen(officer: Membership, count: int) -> None:
    for number in range(count):
        now = clock.now()
        whom = frozenset({officer.user_id})
        happening = Happening(f"{number}", Kind.HOLD, now, whom, {"what": "frozen"})
        tell(officer.tenant_id, happening)


@pytest.mark.usefixtures("slow")
def test_letters_of_an_organisation_take_a_few_seconds_of_each_round(officer: Membership) -> None:
    """H7: the rest goes in the next rounds; none is tried without being sent."""
    happen(officer, 7)
    waiting = Notice.objects.filter(letter=State.WAITING)
    assert waiting.count() == 7
    assert [send_letters(officer.tenant_id) for _ in range(4)] == [3, 3, 1, 0]
    assert not waiting.exists()
    assert set(Notice.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.usefixtures("slow")
def test_e_mails_of_surveys_do_as_well(owner: Membership) -> None:
    """H7, M10"""
    people = [f"person{number}@example.org" for number in range(5)]
    write_letters(membership=owner, survey=opened(owner), addresses=people)
    assert [send_survey_letters(owner.tenant_id) for _ in range(3)] == [3, 2, 0]
    assert set(SurveyLetter.objects.values_list("state", flat=True)) == {"sent"}


def test_letters_of_a_round_go_over_one_connection(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7"""
    made: list[object] = []
    real = EmailBackend.__init__

    def connect(self: EmailBackend, *given: Any, **named: Any) -> None:
        made.append(self)
        real(self, *given, **named)

    monkeypatch.setattr(EmailBackend, "__init__", connect)
    happen(officer, 3)
    assert send_letters(officer.tenant_id) == len(mail.outbox) == 3
    assert len(made) == 1


@made_once
def five(db: None) -> list[str]:
    """The names of five organisations, by which their turns come."""
    names = list("abcde")
    for name in names:
        Tenant.objects.create(slug=name, name=name.upper())
    return names


Called = list[str]


Left = list[float]


@pytest.fixture
def left(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> Left:
    """The seconds that each turn was given; it takes all of them but half a second."""
    made: Left = []

    def take(_tenant_id: UUID, *, until: float) -> int:
        made.append(until - watch.now)
        watch.takes(made[-1] - 0.5)
        return 0

    monkeypatch.setattr(notices, "_STEPS", (take, take))
    return made


@pytest.fixture
def called(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> Called:
    """Who had a turn, and with what; each takes seven seconds, of the twenty of a round."""
    made: Called = []

    def step(name: str) -> Callable[..., int]:
        def take(tenant_id: UUID, *, until: float) -> int:
            made.append(Tenant.objects.get(pk=tenant_id).slug + name)
            watch.takes(7.0)
            return 0

        return take

    monkeypatch.setattr(notices, "_STEPS", (step("1"), step("2")))
    return made


def test_a_round_takes_some_turns_and_the_next_one_goes_on_behind_them(
    five: list[str], called: Called
) -> None:
    """H7: every organisation and every step comes to its turn, however slow the others are."""
    turns = Turns()
    for _ in range(4):
        notices_round(turns)
    expected = [f"{name}{number}" for name in five for number in "12"]
    assert called == (expected * 2)[:12]


def test_events_that_took_long_to_make_leave_letters_and_webhooks_their_time(
    tenant: Tenant, left: Left, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7: or of many organisations none would ever send anything."""
    monkeypatch.setattr(notices, "follow", lambda _tenant_id: watch.takes(60.0))
    notices_round(Turns())
    assert left[0] == 20.0


def test_who_comes_to_their_turn_in_the_last_moment_can_do_something(
    tenant: Tenant, left: Left
) -> None:
    """H7: a turn is not lost for having come late in a round."""
    notices_round(Turns())
    assert left == [20.0, 1.0]


def test_a_round_that_is_the_only_one_does_everything(five: list[str], called: Called) -> None:
    notices_round()
    assert len(called) == len(five) * 2


def test_the_sweeper_says_that_it_runs_between_the_turns_of_a_long_round(
    five: list[str], called: Called, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7: or it would be reported dead, and restarted, while it does its work."""
    ready: list[float] = []
    monkeypatch.setattr(sweep, "mark_ready", lambda _name: ready.append(watch.now))
    pulse = sweep._Pulse()
    sweep._round(pulse.between, Turns())
    began, (said, *later) = 1_000.0, ready
    assert said == began
    assert later == [began + 7.0, began + 14.0, began + 21.0]
    beat = last_beat()
    assert beat is not None
    assert beat.sweeps.rounds == 0, "none is over"
    assert Sweeper.objects.get().number == len(ready)
