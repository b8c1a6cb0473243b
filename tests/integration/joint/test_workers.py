"""M45: three organisations' workers, each a process with its own key folder and data folder, on the
database as the application's role: each reads its own rows, key and file, and all get one total.

What could leak: a worker that needs, or could use, another one's key, rows or data.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import joint_round
from dpgov.queries.models import Query
from tests.cast import publish_now
from tests.integration.joint.made import Side, all_joined, query_of, three
from tests.integration.queries.answering.workers import environment
from tests.servers.keys import fingerprint_key_here

ROOT = Path(__file__).resolve().parents[3]


def _home_of(one: Side, folder: Path) -> Path:
    """A state folder with this organisation's data file and nobody else's."""
    version = one.dataset.versions.get()
    home = folder / one.tenant.slug
    for path in Path(settings.DPGOV_HOME).rglob(f"*{version.pk}*"):
        target = home / path.relative_to(settings.DPGOV_HOME)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return home


def _run(one: Side, home: Path, organisation: str = "") -> str:
    """One look of its worker, as a process of its own."""
    connections.close_all()
    done = subprocess.run(
        [sys.executable, "manage.py", "joint_worker", organisation or one.tenant.slug],
        cwd=ROOT,
        env=environment(
            DPGOV_HOME=str(home),
            DPGOV_JOINT_KEYS=str(home / "keys"),
            DPGOV_FINGERPRINT_KEY=fingerprint_key_here(settings.DPGOV_HOME),
        ),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


@pytest.mark.django_db(transaction=True)
def test_three_workers_apart_make_one_total(tmp_path: Path) -> None:
    """M45: and a worker that lacks another one's data and key sends nothing for it."""
    sides = three()
    question = all_joined(sides)
    homes = [_home_of(one, tmp_path) for one in sides]
    for one, home in zip(sides, homes, strict=True):
        assert _run(one, home) == "sent: 1"
        assert [path.name for path in (home / "keys").iterdir()] == [f"{one.tenant.pk}.key"]
        assert (home / "keys" / f"{one.tenant.pk}.key").stat().st_mode & 0o077 == 0
    assert Party.objects.exclude(public_key="").count() == 3
    joint_round()
    assert JointQuestion.objects.get().opened_at is not None
    # The first one's process, told to work for the second: another key, and no file.
    assert _run(sides[0], homes[0], sides[1].tenant.slug) == "sent: 0"
    for one, home in zip(sides, homes, strict=True):
        assert _run(one, home) == "sent: 1"
    assert Share.objects.count() == 3
    joint_round()
    publish_now()
    assert {query_of(one, question).state for one in sides} == {Query.State.RELEASED}
