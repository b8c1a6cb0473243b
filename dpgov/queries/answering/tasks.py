"""The Celery task, and the messages that start it: one says “look” and is believed in nothing else.

Which question comes next, and whose it is, is asked of the database. Few messages in the broker are
enough: a worker that is done wakes the next one as long as questions wait.
"""

import logging
from contextlib import AbstractContextManager
from typing import Any

from celery import current_app, shared_task
from celery.signals import celeryd_after_setup, worker_ready, worker_shutdown

from dpgov.operation.tallies import count_broker_failure
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.answering.turns import HeavyPlaces, number_waiting
from dpgov.queries.answering.workers import BeatThread

# More than the processes of any installation: each takes one, and then wakes the next.
MOST_MESSAGES = 100

logger = logging.getLogger(__name__)


def messages() -> int | None:
    """How many no worker has taken yet; None when the broker does not say."""
    try:
        with line() as producer:
            return length(producer)
    except Exception as error:
        logger.info("the broker is away (%s)", type(error).__name__)
        return None


def line() -> AbstractContextManager[Any]:
    """A line to the broker, out of this process's pool."""
    producer: AbstractContextManager[Any] = current_app.producer_or_acquire()
    return producer


def length(producer: Any) -> int:
    """Counted by the transport: one LLEN in Redis, one look into the folder of the file broker."""
    return int(producer.channel._size(current_app.conf.task_default_queue))


_beats: list[BeatThread] = []


@shared_task(name="dpgov.queries.look")
def look(*_: object, **__: object) -> None:
    """Answer the question whose turn it is, if one waits; then wake somebody for the next.

    Nothing in the message is read, so that a forged one is no more than another wake-up.
    """
    if answer_next(came=wake):
        pass_on()


def wake(number: int = 1) -> int | None:
    """Send up to so many messages, unless enough lie there; how many. Must run after commit.

    None if the broker did not take them. That is not an error: the sweep sends again.
    """
    sent = 0
    try:
        with line() as producer:
            for _ in range(min(number, MOST_MESSAGES - length(producer))):
                look.apply_async(producer=producer)
                sent += 1
    except Exception as error:
        count_broker_failure()
        logger.warning("the broker is away (%s); the sweep will send again", type(error).__name__)
        return None
    return sent


def pass_on() -> None:
    """Wake somebody for the next question, if one waits and nobody was told."""
    if messages() == 0 and number_waiting():
        wake()


@celeryd_after_setup.connect
def _keep_a_process_for_light_questions(instance: Any, **_: object) -> None:
    HeavyPlaces.open(instance.concurrency)


@worker_ready.connect
def _begin_to_tell(sender: Any, **_: object) -> None:
    served = sender.app.amqp.queues.consume_from
    answers = sender.app.conf.task_default_queue in served
    _beats.append(BeatThread(str(sender.hostname), answers=answers))
    _beats[-1].start()


@worker_shutdown.connect
def _stop_telling(**_: object) -> None:
    for beat in _beats:
        beat.stop()
