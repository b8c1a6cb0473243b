"""G2, G3: the commands of docs/how-to/prove-the-log.md, run as they stand there on real files."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.outside import KEYS, folder_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT

pytestmark = pytest.mark.django_db
PAGE = ROOT / "docs/how-to/prove-the-log.md"


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "outside"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"


def commands() -> list[str]:
    return re.findall(r"^python -m dpgov\.audit\.verify .+$", PAGE.read_text(), re.MULTILINE)


def sign(tenant_id: Any) -> None:
    assert make_checkpoint(tenant_id=tenant_id)
    deliver_waiting(tenant_id)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = command.replace("python", sys.executable, 1)
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_outsider_runs_the_commands_of_the_page_and_they_hold(
    officer: Membership,
    analyst: Membership,
    ask: Any,
    answer_all: Any,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], APIClient],
    tmp_path: Path,
) -> None:
    query: Query = ask(analyst)
    sign(analyst.tenant_id)
    answer_all()
    sign(analyst.tenant_id)
    folder = tmp_path / "outsider"
    kept = folder_of(analyst.tenant_id)
    copied = folder / "checkpoints" / kept.name
    copied.mkdir(parents=True)
    for note in kept.glob("*.checkpoint"):
        shutil.copy(note, copied)
    shutil.copy(kept / KEYS, folder / "public-keys.txt")
    page = client_for(analyst)
    (folder / "receipt.json").write_bytes(page.get(f"/queries/{query.pk}/receipt.json").content)
    (folder / "answer.json").write_bytes(page.get(f"/queries/{query.pk}/download/json/").content)
    old, new = AuditCheckpoint.objects.order_by("size").values_list("size", flat=True)
    proof = api_for(officer).get(f"/api/v1/audit/consistency/?old={old}&new={new}")
    (folder / "consistency.json").write_bytes(proof.content)
    export = b"".join(client_for(officer).post("/audit/export/jsonl/"))
    (folder / "audit-log.jsonl").write_bytes(export)
    for command in commands():
        done = run(command, folder)
        assert (done.returncode, "HOLDS" in done.stdout) == (0, True), done.stdout + done.stderr
    (folder / "audit-log.jsonl").write_bytes(export.replace(b"QUERY_RELEASED", b"QUERY_RELEASES"))
    assert "BROKEN" in run(commands()[0], folder).stdout
    assert len(commands()) == 3
