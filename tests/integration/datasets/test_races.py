"""Several registrations and limit changes at the same moment."""

from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from typing import Any
from unittest.mock import patch

import pytest

from dpgov.budgets.models import Budget
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, Upload
from dpgov.datasets.services import (
    LimitNotLowered,
    UploadUsed,
    lower_limit,
    receive_upload,
    register_dataset,
)
from dpgov.engines import child
from dpgov.engines.child import Ingested
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.datasets.registering import CSV


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
