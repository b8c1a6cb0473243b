"""B9, L13: a COMMIT whose reply is lost: what it recorded keeps its file, what it did not goes.

Nobody can tell the two apart at once, so that the sweeper asks the database an hour later.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import OperationalError

from dpgov.budgets.findings import ledger_findings
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.services import change_unit_bounds, receive_upload, remove_orphans
from dpgov.datasets.services.derived import making
from dpgov.datasets.tasks import read_next
from dpgov.engines import child
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.datasets.derived.conftest import derive_here
from tests.integration.datasets.derived.family import DAYS, VISITS, WARD, asked, parents, registered
from tests.integration.datasets.files.test_orphans import age
from tests.integration.datasets.files.unheard import commit_unheard
from tests.integration.datasets.quick import read_here
from tests.small_dataset import CSV, register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], object]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for the moment of what is derived."""
    monkeypatch.setattr(making, "await_moment", lambda *_: None)
    monkeypatch.setattr(child, "derive", derive_here)


def registering(owner: Membership) -> Work:
    return partial(register_small_dataset, owner, name="Visits")


def deriving(owner: Membership) -> Work:
    parents(owner)
    asked(owner)
    return partial(read_next)


def other_bounds(owner: Membership) -> Work:
    dataset = registered(owner, "Visits", VISITS, (DAYS, WARD))
    return partial(
        change_unit_bounds, dataset=dataset, max_rows=1, max_groups=None, user=owner.user
    )


def uploading(owner: Membership) -> Work:
    return partial(
        receive_upload,
        tenant=owner.tenant,
        uploader=owner.user,
        name="f.csv",
        chunks=[CSV.encode()],
    )


WORKS = pytest.mark.parametrize("work", [registering, deriving, other_bounds, uploading])


def lying(folder: str) -> set[Path]:
    """Files of one kind and the marks beside them."""
    return set((Path(settings.DPGOV_HOME) / folder).glob("*"))


def _raw(upload_id: UUID) -> Path:
    return storage.upload_path(upload_id)


@pytest.mark.parametrize(
    ("happens", "problem"),
    [
        pytest.param(True, OperationalError("lost"), id="recorded, no reply"),
        pytest.param(False, OperationalError("lost"), id="not recorded, no reply"),
        pytest.param(True, SoftTimeLimitExceeded(), id="recorded, out of time"),
        pytest.param(True, SystemExit(), id="recorded, stopped"),
    ],
)
@WORKS
def test_its_file_is_there_until_the_database_says_that_it_is_not_recorded(
    owner: Membership,
    work: Callable[[Membership], Work],
    happens: bool,
    problem: BaseException,
) -> None:
    """B9: nothing is deleted at once; after an hour what was recorded is whole, the rest gone.

    Where it broke off decides, and not by what.
    """
    raw = work is uploading
    model: type[Upload | DatasetVersion] = Upload if raw else DatasetVersion
    folder, path_of = ("uploads", _raw) if raw else ("data", storage.data_path)
    todo = work(owner)
    before, known = lying(folder), set(model.objects.values_list("pk", flat=True))
    unheard = commit_unheard(model, happens=happens, problem=problem)
    with read_here(), unheard, pytest.raises(type(problem)):
        todo()
    recorded = set(model.objects.values_list("pk", flat=True)) - known
    assert len(recorded) == happens, "the control"
    assert {path_of(pk) for pk in recorded} <= lying(folder) - before
    assert lying(folder) - before, "the sweeper decides"
    age(*lying(folder))
    remove_orphans()
    assert lying(folder) - before == {path_of(pk) for pk in recorded}
    assert ledger_findings() == []


def test_a_question_about_it_is_answered(
    owner: Membership, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """B9: it is open and has a budget, so its rows have to be there."""
    with commit_unheard(DatasetVersion, happens=True), pytest.raises(OperationalError):
        register_small_dataset(owner, name="Unheard")
    age(*lying("data"))
    remove_orphans()
    query = ask(analyst, of=Dataset.objects.get(name="Unheard"))
    assert answer_all() == 1
    query.refresh_from_db()
    assert query.state == Query.State.RELEASED
