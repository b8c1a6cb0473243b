"""Several registrations and limit changes at the same moment."""

from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from typing import Any
from unittest.mock import Mock, patch

import pytest
from django.db import connection

from dpgov.budgets.models import Budget
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.services import (
    LimitNotLowered,
    UploadUsed,
    add_version,
    likeness,
    lower_limit,
    receive_upload,
    register_dataset,
    registration,
    versions,
)
from dpgov.engines import child
from dpgov.engines.child import Ingested
from dpgov.engines.likeness import likeness as likeness_of_two
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, InvalidDomain, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.datasets import quick
from tests.integration.datasets.registering import CSV

NAMES = ("age", "sex", "town")


def _declaration() -> Declaration:
    age = column_spec("age", numeric_domain("0", "120", "1"), "drop", "")
    schema = DatasetSchema((age,), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 1000)
    return Declaration("People", "", schema, 3 * NANO, NANO)


def _upload(owner: Membership) -> Upload:
    return receive_upload(tenant=owner.tenant, uploader=owner.user, name="people.csv", chunks=[CSV])


def _register(owner: Membership, upload: Upload) -> int:
    try:
        register_dataset(
            tenant=owner.tenant, owner=owner.user, upload=upload, declaration=_declaration()
        )
    except UploadUsed:
        return 0
    return 1


def _all_ingested_first(count: int) -> Callable[..., Ingested]:
    """Ingest as ever, then wait for the others: all reach the database at one moment."""
    barrier = get_context("fork").Barrier(count)
    ingest = child.ingest

    def together(*args: Any, **kwargs: Any) -> Ingested:
        found: Ingested = ingest(*args, **kwargs)
        barrier.wait()
        return found

    return together


@pytest.mark.django_db(transaction=True)
def test_one_upload_registered_twice_at_once_is_one_dataset(owner: Membership) -> None:
    """B6: a double click."""
    upload = _upload(owner)
    assert sum(run_at_once([lambda: _register(owner, upload)] * 3)) == 1
    assert Dataset.objects.count() == Budget.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_data_registered_twice_at_once_opens_one_budget(owner: Membership) -> None:
    """F11: also when neither has seen the other, and under two addresses."""
    uploads = [_upload(owner) for _ in range(3)]
    together = _all_ingested_first(len(uploads))
    steps = [partial(_register, owner, upload) for upload in uploads]
    with patch.object(child, "ingest", together):
        assert sum(run_at_once(steps)) == 3
    assert Budget.objects.count() == 1
    assert Dataset.objects.values("slug").distinct().count() == 3


def _all_compared_first(count: int) -> Callable[..., Any]:
    """Compare as ever, outside any transaction, then wait for the others: none has seen another."""
    barrier = get_context("fork").Barrier(count)

    def together(*args: Any, **kwargs: Any) -> Any:
        found = likeness.compared(*args, **kwargs)
        if len(args) == 3:
            assert not connection.in_atomic_block
            barrier.wait()
        return found

    return together


@pytest.mark.django_db(transaction=True)
def test_the_same_data_that_all_were_compared_before_any_was_kept_opens_one_budget(
    owner: Membership,
) -> None:
    """F9, F11: what came since is compared again, one after the other."""
    uploads = [_upload(owner) for _ in range(3)]
    steps = [partial(_register, owner, upload) for upload in uploads]
    with patch.object(registration, "compared", _all_compared_first(len(uploads))):
        assert run_at_once(steps) == [1] * 3
    assert Budget.objects.count() == 1


def _people(start: int, count: int = 60) -> list[tuple[object, ...]]:
    return [(row % 90, "fm"[row % 2], row * 7919 % 100_003) for row in range(start, start + count)]


def _add(owner: Membership, dataset: Dataset, upload: Upload) -> int:
    column = _declaration().schema.columns
    try:
        add_version(dataset=dataset, upload=upload, columns=column, user=owner.user)
    except InvalidDomain as refusal:
        return 3 if "resembles other data of yours" in str(refusal) else 1
    return 2


@pytest.mark.django_db(transaction=True)
def test_one_file_that_is_added_to_two_datasets_at_once_gets_one_budget(owner: Membership) -> None:
    """F9: neither saw the other when it was compared; the second one is refused."""
    datasets = [quick.registered(owner, _people(at), NAMES, f"P{at}") for at in (0, 1000)]
    uploads = [quick.brought(owner, _people(2000), NAMES) for _ in datasets]
    steps = [partial(_add, owner, *pair) for pair in zip(datasets, uploads, strict=True)]
    with patch.object(versions, "compared", _all_compared_first(len(datasets))):
        assert sorted(run_at_once(steps)) == [2, 3]
    assert DatasetVersion.objects.count() == 3


@pytest.mark.django_db
def test_who_reads_a_file_beats_for_each_earlier_one_that_it_is_compared_with(
    owner: Membership,
) -> None:
    """B6: so that nobody else takes the file over meanwhile, however many there are."""
    for at in range(3):
        quick.registered(owner, _people(1000 * at), NAMES, f"P{at}")
    follower = Mock()
    with quick.read_here():
        register_dataset(
            tenant=owner.tenant,
            owner=owner.user,
            upload=quick.brought(owner, _people(5000), NAMES),
            declaration=_declaration(),
            follower=follower,
        )
    assert follower.look.call_count >= 3


@pytest.mark.django_db
def test_versions_of_other_people_are_each_compared_once(owner: Membership) -> None:
    """F9: with the new file, and not with each other again where nothing has to be decided."""
    dataset = quick.registered(owner, _people(0), NAMES)
    for at in range(1, 5):
        quick.version_added(owner, dataset, _people(1000 * at), NAMES)
    with patch.object(likeness, "likeness", wraps=likeness_of_two) as compare:
        quick.version_added(owner, dataset, _people(9000), NAMES)
    assert 0 < compare.call_count <= 5


@pytest.mark.django_db(transaction=True)
def test_the_same_data_of_several_owners_at_once_is_each_one_s_own(
    owner: Membership, stranger: Membership
) -> None:
    """L1: who was first does not show; in one tenant an officer sees it when they look."""
    owners = [owner, stranger, join(stranger.tenant, Role.OWNER, "otto")]
    uploads = [(member, _upload(member)) for member in owners]
    together = _all_ingested_first(len(uploads))
    steps = [partial(_register, member, upload) for member, upload in uploads]
    with patch.object(child, "ingest", together):
        assert sum(run_at_once(steps)) == 3
    free = Dataset.objects.filter(held_at__isnull=True)
    assert free.values("budget").distinct().count() == 3


@pytest.mark.django_db(transaction=True)
def test_limits_lowered_at_once_end_at_the_lowest(owner: Membership, dataset: Dataset) -> None:
    """A8: nobody raises what somebody else has just lowered."""

    def lower(epsilon: int) -> int:
        try:
            lower_limit(dataset=dataset, limit_nano=epsilon * NANO, user=owner.user, reason="less")
        except LimitNotLowered:
            return 0
        return 1

    assert sum(run_at_once([partial(lower, n) for n in (3, 7, 5, 9)])) >= 1
    assert Budget.objects.get().limit_nano == 3 * NANO
