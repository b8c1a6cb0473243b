"""M60: death at every database statement of a public table's way, and what is left after it.

What could leak or overspend: a file that is registered beside half a table, or beside another one
than its label names; a raw table that lies there after its file was registered, or without one.
"""

import hashlib
import itertools
import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.http import QueryDict

from dpgov.budgets.findings import ledger_findings
from dpgov.datasets import storage
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.services import (
    ask_registration,
    join_public_table,
    receive_upload,
    remove_orphans,
    take_public_table,
)
from dpgov.datasets.services.files import orphans
from dpgov.datasets.tasks import read_next
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.children import Death, run
from tests.integration.datasets.joins.public import TOWNS, is_there
from tests.integration.datasets.registering import CSV

pytestmark = pytest.mark.django_db(transaction=True)
STRIDES = pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
AREA = {"key": "city", "public_key": "town", "columns": ["area"]}
COLUMNS = (
    column_spec("age", numeric_domain("0", "120", "1"), MissingRule.DROP, ""),
    column_spec("area", CategoryDomain(("north", "middle")), MissingRule.DROP, ""),
)
Step = Callable[[], object]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DPGOV_LEASE_SECONDS", 0)
    monkeypatch.setattr(settings, "DPGOV_FILES_A_DAY_PERSON", 1_000)
    monkeypatch.setattr(settings, "DPGOV_FILES_A_DAY_ORGANISATION", 1_000)
    monkeypatch.setattr(orphans, "_OLD_SECONDS", -60)  # an hour later


def received(owner: Membership) -> Upload:
    return receive_upload(tenant=owner.tenant, uploader=owner.user, name="people.csv", chunks=[CSV])


def take(owner: Membership, upload: Upload) -> Upload:
    spool = storage.Spool(largest=1_000)
    spool.write(TOWNS)
    return take_public_table(upload=upload, user=owner.user, name="towns.csv", spool=spool)


def with_table(owner: Membership) -> Upload:
    upload = received(owner)
    take(owner, upload)
    return upload


def asked(owner: Membership, upload: Upload) -> Arrival:
    schema = DatasetSchema(COLUMNS, PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 1000)
    declaration = Declaration("People", "", schema, NANO, NANO)
    return ask_registration(
        owner=owner.user, upload=upload, declaration=declaration, typed=QueryDict()
    )


def deaths(
    stride: int,
    before: Callable[[], Any],
    step: Callable[[Any], object],
    after: Step = lambda: None,
) -> list[Any]:
    """A fresh thing for each point of death, until the step gets through; all of them."""
    found = []
    for count in itertools.count():
        found.append(before())
        point = count * stride
        death = Death(statement=1 + point // 2, after=bool(point % 2))
        code = run(lambda: step(found[-1]) and None, death)
        assert code in (0, -signal.SIGKILL)
        after()
        if code == 0:
            assert point >= 10
            return found
    raise AssertionError("unreachable")


@STRIDES
def test_a_table_that_is_taken_through_a_crash_is_there_once(
    owner: Membership, stride: int
) -> None:
    """M60: sent again, there is one beside each file, with its bytes; no other one can be used."""
    with_table(owner)
    for upload in deaths(stride, lambda: received(owner), lambda one: take(owner, one)):
        assert upload.public_tables.count() <= 1
        take(owner, upload)
        (public,) = upload.public_tables.all()
        assert storage.upload_path(public.pk).read_bytes() == TOWNS
        assert Upload.objects.get(pk=upload.pk).joined == {}


@STRIDES
def test_columns_that_are_chosen_through_a_crash_are_joined_or_not(
    owner: Membership, stride: int
) -> None:
    """M60: headers and the name of the table change together, and another try converges."""

    def join(upload: Upload) -> object:
        return join_public_table(upload=upload, **AREA)  # type: ignore[arg-type]

    join(with_table(owner))
    for upload in deaths(stride, lambda: with_table(owner), join):
        upload.refresh_from_db()
        assert (upload.headers[3:], bool(upload.joined)) in (([], False), (["area"], True))
        join(upload)
        upload.refresh_from_db()
        assert (upload.headers[3:], upload.joined["columns"]) == (["area"], ["area"])
        assert upload.joined["sha256"] == hashlib.sha256(TOWNS).hexdigest()


@STRIDES
def test_a_reader_that_dies_leaves_both_files_to_another(owner: Membership, stride: int) -> None:
    """M60: one dataset for each that was asked, whose label names the table that lies in it; both
    raw files are gone, an hour later where it died between its commit and deleting them.
    """

    def waiting() -> Arrival:
        upload = with_table(owner)
        joined = join_public_table(upload=upload, **AREA)  # type: ignore[arg-type]
        return asked(owner, joined)

    waiting()
    read_waiting()
    arrivals = deaths(stride, waiting, lambda _: read_next(), after=read_waiting)
    for arrival in arrivals:
        arrival.refresh_from_db()
        assert arrival.state == Arrival.State.DONE
    assert Dataset.objects.count() == len(arrivals) + 1 == DatasetVersion.objects.count()
    for version in DatasetVersion.objects.all():
        assert version.joined["sha256"] == hashlib.sha256(TOWNS).hexdigest()
        assert [column.name for column in version.columns.all()] == ["age", "area"]
    assert set(Upload.objects.values_list("state", flat=True)) == {"used"}
    remove_orphans()
    assert not any(map(is_there, Upload.objects.all()))
    assert list(storage.arriving()) == []
    assert ledger_findings() == []
