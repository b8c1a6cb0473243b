"""L1: how many files may be handed in for registration on one day."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.datasets.models import Arrival, Dataset, Handed, Upload
from dpgov.datasets.services import RefusedFile, TooManyFiles, cancel_derived, discard_upload
from dpgov.datasets.services.files.handing_in import hand_in
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.datasets import quick
from tests.integration.datasets.derived.family import asked, parents
from tests.integration.datasets.held.test_others_rows import NAMES, row
from tests.integration.datasets.registering import register, uploaded

SignIn = Callable[[Membership], Client]
pytestmark = pytest.mark.django_db


def people(number: int) -> list[tuple[object, ...]]:
    return [row(100 * number + each) for each in range(1, 20)]


def test_refused_and_discarded_files_and_versions_all_count(
    owner: Membership, settings: Any
) -> None:
    """L1: deleting gives nothing back; the next day does."""
    settings.DPGOV_FILES_A_DAY_PERSON = 3
    dataset = quick.registered(owner, people(1), NAMES)
    quick.version_added(owner, dataset, people(2), NAMES)
    with pytest.raises(RefusedFile):
        quick.registered(owner, [("a,b",)], NAMES)
    discard_upload(upload=Upload.objects.get(state="ready"), user=owner.user)
    steps: tuple[Callable[[], object], ...] = (
        lambda: quick.registered(owner, people(4), NAMES),
        lambda: quick.version_added(owner, dataset, people(4), NAMES),
    )
    for step in steps:
        with pytest.raises(TooManyFiles, match="3 files today"):
            step()
    assert Dataset.objects.count() == 1
    tomorrow = timezone.now() + timedelta(days=1)
    with patch("dpgov.operation.clock.now", return_value=tomorrow):
        quick.registered(owner, people(5), NAMES)


def test_of_an_organisation_everybody_s_files_count_together(
    owner: Membership, stranger: Membership, settings: Any
) -> None:
    """L1: and nobody else's."""
    settings.DPGOV_FILES_A_DAY_ORGANISATION = 2
    for number, name in enumerate(("otto", "odile")):
        quick.registered(join(owner.tenant, Role.OWNER, name), people(number), NAMES)
    with pytest.raises(TooManyFiles, match="Your organisation registered 2 files today"):
        quick.registered(owner, people(7), NAMES)
    quick.registered(stranger, people(8), NAMES)


def test_one_file_counts_once_however_often_it_is_tried(owner: Membership) -> None:
    """L1: whoever corrects a declaration, or a worker that begins anew, uses nothing up."""
    with quick.read_here():
        upload = quick.brought(owner, people(1), NAMES)
    for _ in range(3):
        hand_in(tenant=owner.tenant, user=owner.user, upload_id=upload.pk)
    handed = Handed.objects.get()
    assert handed.day == datetime.now(UTC).date()


def test_what_is_derived_counts_like_a_file(owner: Membership, settings: Any) -> None:
    """L1, M65: who tries it with file after file of guesses is stopped, and so is who stops it."""
    settings.DPGOV_FILES_A_DAY_PERSON = 3
    parents(owner)
    arrival = asked(owner)
    assert asked(owner).pk == arrival.pk
    assert cancel_derived(arrival)
    with pytest.raises(TooManyFiles, match="3 files today"):
        asked(owner, name="Once more")
    assert Arrival.objects.get().pk == arrival.pk
    assert Handed.objects.count() == 3


def test_the_owner_is_told_on_the_page(
    owner: Membership, client_for: SignIn, settings: Any
) -> None:
    """L1: the form stays as it was typed, and the file can be registered tomorrow."""
    settings.DPGOV_FILES_A_DAY_PERSON = 0
    browser = client_for(owner)
    answer = register(browser, uploaded(browser))
    assert answer.status_code == 422
    assert "Go on tomorrow" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_files_that_come_at_once_are_counted_one_after_the_other(
    owner: Membership, settings: Any
) -> None:
    """L1: sixteen at once would else each find the others not there yet."""
    settings.DPGOV_FILES_A_DAY_PERSON = 2
    step = partial(hand_in, tenant=owner.tenant, user=owner.user)
    codes = run_at_once([partial(step, upload_id=uuid4()) for _ in range(16)])
    assert codes.count(0) == Handed.objects.count() == 2
