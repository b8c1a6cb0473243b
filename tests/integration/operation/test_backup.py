"""The commands of docs/backup.md, on a running installation: what a restored copy may do."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.house.tree import ROOT
from tests.integration.operation.installation import Installation, installation
from tests.integration.operation.restoring import AFTERWARDS, BACKUP, MARK_ALL, RESTORE, Places
from tests.servers.waiting import until

pytestmark = pytest.mark.long
# The original goes on here: the copy is beside it, under another name.
_BESIDE = (
    RESTORE.replace("ALTER DATABASE dpgov RENAME TO set_aside", "SELECT 1")
    .replace("--owner dpgov_owner dpgov", "--owner dpgov_owner restored")
    .replace("--dbname dpgov", "--dbname restored")
)
UNFINISHED = "SELECT count(*) FROM queries_query WHERE state IN ('queued', 'running', 'sealed')"
BOOKED = "SELECT sum(spent_nano)::bigint FROM budgets_budget WHERE kind = 'dataset'"
FROZEN = "SELECT count(*) FROM budgets_budget WHERE kind = 'dataset' AND frozen_at IS NOT NULL"
DATASETS = "SELECT count(*) FROM budgets_budget WHERE kind = 'dataset'"

# Asks one question over the API, in a process that is configured like any other.
ASK = """
import sys, django
django.setup()
from rest_framework.test import APIClient
client = APIClient(SERVER_NAME="localhost")
client.credentials(HTTP_AUTHORIZATION=f"Token {sys.argv[1]}")
answer = client.post(
    "/api/v1/datasets/visits/queries/",
    {"statistics": [{"statistic": "count"}], "epsilon": 0.01},
    format="json", headers={"Idempotency-Key": sys.argv[2]},
)
print(answer.status_code, answer.content.decode())
"""
# People make new tokens after a restore: the analyst's.
FOR_THE_ANALYST = """
import django
django.setup()
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership
from tests.cast import make_token
with acting_for(tenants()[0].id):
    print(make_token(Membership.objects.get(role="analyst"), "after the restore")[1])
"""
CONFIRM = """
import django
django.setup()
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
tenant = tenants()[0].id
with acting_for(tenant):
    officer = Membership.objects.get(role="officer").user
    for budget in Budget.objects.filter(frozen_at__isnull=False):
        confirm_budget(
            budget=budget, actor=actor_of(officer), reason="one answer was lost",
            missing_nano=10_000_000,
        )
"""


@pytest.fixture(scope="module")
def product() -> Iterator[Installation]:
    with installation() as made:
        yield made


def test_a_restored_backup_admits_nothing_until_an_officer_confirms(
    product: Installation, tmp_path: Path
) -> None:
    """A9: dumped, answered once more, restored elsewhere: frozen until what is lost is booked."""
    _answered(product, "before")
    _shell(product, BACKUP, tmp_path)
    _answered(product, "after")
    spent = product.rows(BOOKED)[0][0]
    product.manage("checkpoint")
    (tmp_path / "home").mkdir()
    _shell(product, _BESIDE, tmp_path, home=tmp_path / "home")
    copy = _restored(product, tmp_path)
    assert copy.rows(BOOKED)[0][0] < spent, "the control: the backup knows less"

    assert _ask(copy, "too-soon").startswith("409"), "nothing is admitted even before the sweep"
    copy.manage("sweep")
    assert copy.rows(FROZEN) == copy.rows(DATASETS)
    assert _ask(copy, "old-token").startswith("401"), "it may have been ended since the backup"
    copy.token = _new_token(copy)
    assert "frozen" in _ask(copy, "frozen")
    copy.manage("sweep")
    assert copy.rows("SELECT count(*) FROM queries_query WHERE idempotency_key <> 'before'") == [
        (0,)
    ]

    _python(copy, CONFIRM)
    assert copy.rows(BOOKED)[0][0] == spent
    copy.manage("sweep")
    assert _ask(copy, "confirmed").startswith("202")
    copy.manage("verify_ledger")


def test_the_installation_that_was_copied_is_not_frozen(product: Installation) -> None:
    """A9: the control: making a backup freezes nothing."""
    product.manage("sweep")
    assert product.rows(FROZEN) == [(0,)]
    _answered(product, "still-open")


def test_data_that_is_in_use_stays_when_every_file_is_marked(
    product: Installation, tmp_path: Path
) -> None:
    """L35: after a restore all files are marked again; the sweep takes those of deleted data."""
    data = Path(product.environment["DPGOV_HOME"]) / "data"
    before = sorted(data.glob("*.duckdb"))
    _shell(product, MARK_ALL, tmp_path)
    assert len(list(data.glob("*.leaving"))) == len(before) > 0
    product.manage("sweep")
    assert sorted(data.glob("*.duckdb")) == before
    _answered(product, "marked")


def test_a_restore_into_the_same_database_is_frozen_by_hand(
    product: Installation, tmp_path: Path
) -> None:
    """A9: the last commands of the page."""
    copy = _restored(product, tmp_path, database="dpgov")
    for line in AFTERWARDS.strip().splitlines()[1:]:
        program, *arguments = shlex.split(line)
        assert program == "dpgov"
        copy.manage(*arguments)
    assert copy.rows(FROZEN) == copy.rows(DATASETS)
    assert product.ask("old-token")[0] == 401
    product.token = _new_token(copy)
    assert product.ask("by-hand")[0] == 409


def _answered(product: Installation, key: str) -> None:
    assert product.ask(key)[0] == 202
    until(lambda: product.rows(UNFINISHED) == [(0,)], "nobody answers")


def _restored(product: Installation, folder: Path, database: str = "restored") -> Installation:
    """The same installation, pointed at the restored database and state folder."""
    home = folder / "home" if database == "restored" else Path(product.environment["DPGOV_HOME"])
    server = product.environment["DPGOV_DATABASE_URL"].rsplit("/", 1)[0]
    environment = product.environment | {
        "DPGOV_DATABASE_URL": f"{server}/{database}",
        "DPGOV_HOME": str(home),
        "DPGOV_CHECKPOINT_FOLDER": _checkpoints(product),
    }
    url = product.owner_url.replace("/dpgov?", f"/{database}?")
    return Installation(
        product.home, url, product.database, product.broker, environment, 0, product.token
    )


def _shell(product: Installation, commands: str, folder: Path, home: Path | None = None) -> None:
    """The commands of the page, on the servers and folders of this installation."""
    owner = urlsplit(product.owner_url)
    password = folder / "owner_password"
    password.write_text(owner.password or "")
    places = Places(
        home=home or Path(product.environment["DPGOV_HOME"]),
        checkpoints=Path(_checkpoints(product)),
        owner_password=password,
        server=owner,
    )
    places.run(commands, folder)


def _checkpoints(product: Installation) -> str:
    """The folder stays, as it should: it is newer than the backup."""
    folder = Path(product.environment["DPGOV_HOME"]) / "checkpoints"
    folder.mkdir(exist_ok=True)
    return str(folder)


def _ask(copy: Installation, key: str) -> str:
    return _python(copy, ASK, copy.token, key)


def _new_token(copy: Installation) -> str:
    return _python(copy, FOR_THE_ANALYST).split()[-1]


def _python(copy: Installation, program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env=copy.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
