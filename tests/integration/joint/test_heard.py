"""A joint worker that is dead is noticed before its silence fails a question for everybody.

What could leak: when a worker was done with its rows; what it says of itself is that it lives.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from dpgov.joint.heard import JointBeat, misses_its_worker, workers_missed
from dpgov.joint.management.commands import joint_worker
from dpgov.queries.answering.workers import (
    alive_file,
    heard_jointly,
    ready_file,
    seen_by_nobody,
    workers,
)
from dpgov.queries.models.workers import Worker
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Role
from tests.cast import join
from tests.integration.joint.made import Side, all_joined, finished, three

pytestmark = pytest.mark.django_db


def _beat(one: Side) -> JointBeat:
    return JointBeat(one.tenant.pk, one.tenant.slug)


def _missed(sides: list[Side]) -> list[bool]:
    found = []
    for one in sides:
        with acting_for(one.tenant.pk):
            found.append(misses_its_worker(one.tenant.pk))
    return found


def test_an_organisation_without_its_worker_is_told_while_a_joint_question_waits() -> None:
    sides = three()
    assert (_missed(sides), workers_missed()) == ([False] * 3, 0), "nothing waits"
    all_joined(sides)
    assert (_missed(sides), workers_missed()) == ([True] * 3, 3)
    _beat(sides[0]).tell()
    assert (_missed(sides), workers_missed()) == ([False, True, True], 2)
    silent = Worker.objects.get().seen_at - timedelta(minutes=2)
    Worker.objects.update(seen_at=silent)
    assert (_missed(sides), workers_missed()) == ([True] * 3, 3)


def test_nobody_is_missed_once_the_question_has_ended() -> None:
    """Until then everybody is, whoever sent a share: that would tell when a worker was done."""
    sides = three()
    all_joined(sides)
    finished(sides)
    assert (_missed(sides), workers_missed()) == ([False] * 3, 0)


def test_a_worker_of_joint_answers_is_none_that_answers_questions() -> None:
    sides = three()
    all_joined(sides)
    _beat(sides[0]).tell()
    assert (workers(), seen_by_nobody()) == ((0, 0), [])


def test_an_administrator_sees_it_on_home() -> None:
    sides = three()
    browser = Client()
    browser.force_login(join(sides[0].tenant, Role.ADMIN, "ada").user)
    all_joined(sides)
    words = "your joint worker has not been heard of"
    assert words in browser.get("/").text
    _beat(sides[0]).tell()
    assert words not in browser.get("/").text


def test_the_operator_reads_how_many_and_not_which(settings: Any) -> None:
    settings.DPGOV_METRICS_TOKEN = "an-operator-s-token"  # noqa: S105 - opens nothing but this
    sides = three()
    all_joined(sides)
    _beat(sides[0]).tell()
    answer = Client().get("/metrics", headers={"Authorization": "Bearer an-operator-s-token"})
    told = [line for line in answer.text.splitlines() if line.startswith("dpgov_joint")]
    assert told == ["dpgov_joint_workers_missed 2.0"]


def test_the_worker_tells_of_itself_for_as_long_as_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """By files as every worker does, which health checks look at."""
    (one, *_others) = three()
    looks: list[tuple[bool, bool]] = []

    class _TwoLooks:
        def listen(self) -> None:
            pass

        def wait(self, _seconds: float) -> bool:
            looks.append((_alive(one), one.tenant.pk in heard_jointly()))
            return len(looks) > 1

    monkeypatch.setattr(joint_worker, "StopRequest", _TwoLooks)
    # In this thread, which has the test's connection, and keeps it.
    monkeypatch.setattr(joint_worker, "close_old_connections", lambda: None)
    monkeypatch.setattr(JointBeat, "start", JointBeat.turn)
    call_command("joint_worker", one.tenant.slug, every=5.0)
    assert looks == [(True, True)] * 2
    assert not _alive(one), "it says that it ended"


def _alive(one: Side) -> bool:
    name = f"joint-{one.tenant.slug}"
    return ready_file(name).exists() and alive_file(name).exists()


def test_what_it_says_names_no_organisation_in_words() -> None:
    """The table belongs to the installation, so that every organisation's requests may read it."""
    (one, *_others) = three()
    _beat(one).tell()
    (row,) = Worker.objects.values("id", "name", "ready", "lacks")
    assert row == {"id": one.tenant.pk, "name": "joint", "ready": True, "lacks": []}
