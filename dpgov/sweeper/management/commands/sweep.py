"""`manage.py sweep`: publish what is due, send again what was lost, give up what is exhausted."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandParser
from django.db import close_old_connections

from dpgov.budgets.services.restored import NotAllFrozen, freeze_if_restored
from dpgov.datasets.services import (
    discard_abandoned,
    end_retention,
    finish_deletions,
    remove_orphans,
)
from dpgov.datasets.tasks import arrivals_round
from dpgov.joint.services import joint_round
from dpgov.noise_check.scheduled import ScheduledCheck
from dpgov.operation import clock, request_ids
from dpgov.operation.away import ServerAway, is_database_away
from dpgov.operation.stopping import StopRequest
from dpgov.queries.answering.heartbeat import Heart, Sweeps
from dpgov.queries.answering.publisher import Publisher
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.answering.sweep import Swept, sweep
from dpgov.queries.answering.tally import tally_round
from dpgov.queries.answering.workers import mark_ready, seen_by_nobody
from dpgov.sweeper.checkpoints import checkpoint_round
from dpgov.sweeper.notices import Turns, nothing, notices_round
from dpgov.tenants.management.signing import require_signer

_NAME = "sweeper"
_PACE_SECONDS = 5.0
_log = structlog.get_logger("dpgov.sweep")


class Command(BaseCommand):
    help = "Publish what is due and send unanswered queries again; with --every, keep doing so."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, **options: Any) -> None:
        require_signer()
        every: float | None = options["every"]
        if every is None:
            done = _everything_once()
            publish_due()
            self.stdout.write(f"sent again: {done.sent}, given up: {done.given_up}")
            return
        self._keep_sweeping(every)

    def _keep_sweeping(self, every: float) -> None:
        """One sweeper for an installation: it lives through restarts of every server."""
        stop, noise_check = StopRequest(), ScheduledCheck()
        pulse, turns = _Pulse(), Turns()
        stop.listen()
        publisher = Publisher()
        publisher.start()
        while not stop.wait(every):
            pulse.count(_round(pulse.between, turns))
            _despite_the_disk(noise_check.look, "noise_check")
        publisher.stop()
        noise_check.stop()


class _Pulse:
    """Says that it runs: after each round, and in one that takes long between its steps."""

    def __init__(self) -> None:
        self._heart, self._sweeps, self._next = Heart(), Sweeps(), 0.0

    def count(self, done: Swept | None) -> None:
        """After a round."""
        self._sweeps = _added(self._sweeps, done)
        self._beat()

    def between(self) -> None:
        """Never inside a transaction, and not more often than somebody looks."""
        if clock.running() >= self._next:
            self._beat()

    def _beat(self) -> None:
        self._next = clock.running() + _PACE_SECONDS
        self._heart.beat(self._sweeps)
        # For whoever restarts this process, which no outage of a server is a reason for.
        _despite_the_disk(partial(mark_ready, _NAME), "mark_ready")


def _round(between: Callable[[], None] = nothing, turns: Turns | None = None) -> Swept | None:
    """What one round did, told if it was anything; None when the database is away."""
    close_old_connections()
    request_ids.begin()
    try:
        done = _everything_once(between, turns)
    except Exception as error:
        if not is_database_away(error):
            raise
        _log.warning("the database is away", kind=type(error).__name__)
        return None
    if done.sent or done.given_up:
        _log.info("swept", sent=done.sent, given_up=done.given_up)
    return done


def _everything_once(between: Callable[[], None] = nothing, turns: Turns | None = None) -> Swept:
    if not _freeze():
        return _away_from_home(between, turns)
    done = sweep()
    for step in (joint_round, arrivals_round, _miss_files, tally_round):
        between()
        step()
    checkpoint_round(between)
    _clear_up()
    between()
    notices_round(turns, between)  # last: questions come first
    return done


def _away_from_home(between: Callable[[], None], turns: Turns | None) -> Swept:
    """A round in a database that moved, as long as somebody cannot be frozen there.

    Whoever is not frozen may have had in what the backup lacks what would be done for them once
    more: so no question is sent again or given up (which gives back what it holds), no joint one
    goes on, no file is read (which opens budgets) or deleted, and no survey is sent out. Sums of
    what ended, checkpoints, notices and the sweeper's own word need no home. The publisher runs on
    and asks before each answer, as workers do.
    """
    for step in (_miss_files, tally_round):
        between()
        step()
    checkpoint_round(between)
    between()
    notices_round(turns, between, at_home=False)
    return Swept(sent=0, given_up=0)


def _clear_up() -> None:
    """Files that nobody needs. Nothing else waits for a storage that is away."""
    try:
        for step in (remove_orphans, discard_abandoned, end_retention, finish_deletions):
            _despite_the_disk(step, step.__name__)
    except ServerAway as away:
        _log.warning("the storage of data files is away", kind=type(away).__name__)


def _despite_the_disk(step: Callable[[], object], name: str) -> None:
    """A state folder that cannot be read or written holds up no notice, and ends no sweeper."""
    try:
        step()
    except OSError as fault:
        _log.error("the state folder refuses", step=name, kind=type(fault).__name__)


def _miss_files() -> None:
    """Told in each round: somebody has to mend it before the questions expire."""
    if missing := seen_by_nobody():
        _log.error("no worker sees a data file", versions=[str(version) for version in missing])


def _freeze() -> bool:
    """Before anything else: nothing is asked or answered in a restored database. Whether it is
    at home, as nobody is in one that moved before everybody is frozen.
    """
    try:
        found = freeze_if_restored()
    except NotAllFrozen as failed:
        _log.error("nothing is admitted: not everybody could be frozen", why=str(failed))
        return False
    for frozen in found:
        _log.error("frozen", tenant=frozen.tenant.slug, budgets=frozen.budgets, why=frozen.reason)
    return True


def _added(sweeps: Sweeps, done: Swept | None) -> Sweeps:
    rounds = sweeps.rounds + 1
    if done is None:
        return replace(sweeps, rounds=rounds, broken_off=sweeps.broken_off + 1)
    return Sweeps(
        rounds=rounds,
        sent=sweeps.sent + done.sent,
        given_up=sweeps.given_up + done.given_up,
        broken_off=sweeps.broken_off,
    )
