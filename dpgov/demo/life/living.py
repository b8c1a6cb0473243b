"""Living through the 90 days: the clock is set from step to step, and everybody does their part.

Steps that are in the log are not repeated, so that a past that was broken off goes on where it was.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from dpgov.audit.checkpoints.signing import sweep_checkpoints
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import entries_of
from dpgov.demo import past
from dpgov.demo.console import Say, say_who
from dpgov.demo.life.answering import answer_what_waits, ask
from dpgov.demo.life.asking import DemoQuestion, asked_on
from dpgov.demo.life.events import OPENS, events
from dpgov.demo.people import EVERYBODY_OF_THE_PAST, RIVERSIDE, Person
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.follow import follow
from dpgov.operation import clock
from dpgov.operation.moving import from_moment, move_to
from dpgov.operation.stopping import StopRequest
from dpgov.oversight.month.letter import enclosed
from dpgov.queries.answering.tally import tally_round
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants

_NIGHT = timedelta(hours=22)
# Between two steps, for whoever wants to look at a page.
_BREATH = 0.02
_TOLD_EVERY = 15


@dataclass(frozen=True, slots=True)
class DemoStep:
    """Something that happens at a moment."""

    at: datetime
    do: Callable[[], object]


class Unproven(Exception):
    """The log that came of it does not add up: a bug, to be seen at once."""


class Life:
    """The past of a state folder that the demonstration made."""

    def __init__(self, password: str, *, days: int = past.DAYS) -> None:
        """`days` is for tests: how many of them are lived through."""
        self._first, self._reached = _first_midnight(), _reached()
        last = self._first + timedelta(days=days)
        steps = sorted(_steps(self._first, password), key=lambda step: step.at)
        self._steps = [step for step in steps if self._reached < step.at < last]

    def begin(self) -> tuple[Person, ...]:
        """What is there when the site opens: the people, and the first dataset."""
        with from_moment(max(self._first, self._reached)):
            while self._steps and self._steps[0].at <= self._first + OPENS:
                _take(self._steps.pop(0))
        return EVERYBODY_OF_THE_PAST

    def go_on(self, say: Say, stopped: StopRequest, check: Callable[[], object]) -> None:
        """Everything else, up to today, unless it is `stopped`; `check` is called at each step."""
        say(f"Its past arrives behind it: {past.DAYS} days. Look around; you can ask at their end.")
        with from_moment(max(self._first, self._reached, _reached())):
            answer_what_waits()
            for step in self._steps:
                if stopped.wait(_BREATH):
                    return
                check()
                self._tell(step.at, say)
                _take(step)
        _require_proof()
        past.ended()
        say("  A third organisation has come since, with the same password:")
        say_who(say, RIVERSIDE)
        say(f"  day {past.DAYS}: {_summary()} The log proves itself. You can ask now.")

    def _tell(self, moment: datetime, say: Say) -> None:
        day = (moment - self._first).days
        if day != past.day_reached():
            past.tell(day)
            if day % _TOLD_EVERY == 0:
                say(f"  day {day}: {_summary()}")


def _first_midnight() -> datetime:
    """Of the day on which the people came; 90 days ago if they still have to."""
    began = min(_moments("sequence"), default=clock.now() - timedelta(days=past.DAYS))
    return datetime.combine(began.date(), time(), UTC)


def _reached() -> datetime:
    """The newest entry of any log."""
    return max(_moments("-sequence"), default=datetime.min.replace(tzinfo=UTC))


def _moments(order: str) -> Iterator[datetime]:
    """When the first entry of each log was made, by this order."""
    for tenant in tenants():
        with acting_for(tenant.id):
            yield from entries_of(tenant.id).order_by(order).values_list("at", flat=True)[:1]


def _steps(first: datetime, password: str) -> Iterator[DemoStep]:
    for after, do in events(password):
        yield DemoStep(first + after, do)
    for day in range(past.DAYS):
        midnight = first + timedelta(days=day)
        for asked in asked_on(day, midnight.date()):
            yield DemoStep(midnight + asked.after, _asking(asked))
        yield DemoStep(midnight + _NIGHT, _close_the_day)


def _take(step: DemoStep) -> None:
    with past.turn(alone=True):
        move_to(max(step.at, clock.now()))
        step.do()


def _asking(asked: DemoQuestion) -> Callable[[], object]:
    return lambda: ask(asked.person, asked.dataset, asked.plan, asked.key)


def _close_the_day() -> None:
    """What the sweeper does: sums, notices and their letters, and a checkpoint of each log."""
    tally_round()
    for tenant in tenants():
        with acting_for(tenant.id):
            follow(tenant.id)
            send_letters(tenant.id, enclosed)
            sweep_checkpoints(tenant.id)


def _require_proof() -> None:
    for tenant in tenants():
        with acting_for(tenant.id):
            if problems := recheck_all(tenant.id).problems:
                raise Unproven(*problems)


def _summary() -> str:
    asked = 0
    for tenant in tenants():
        with acting_for(tenant.id):
            asked += Query.objects.filter(tenant_id=tenant.id).count()
    return f"{asked} questions answered."
