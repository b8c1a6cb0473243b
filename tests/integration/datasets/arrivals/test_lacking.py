"""L13: what one reader lacks, or storage does not take for a while, ends nobody's registration."""

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services.arrivals.reading import give_up_old
from dpgov.datasets.services.arrivals.taking import ATTEMPTS, next_claim
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.store.base import StoreAway
from dpgov.datasets.tasks import read_next
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import ask, files
from tests.integration.datasets.invented import as_csv, people

pytestmark = pytest.mark.django_db


def test_a_reader_with_another_key_leaves_the_file_to_the_others(
    browser: Client, asked: Arrival, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """L13: whoever asked hears nothing of it, no attempt is counted, and the operator is told."""
    read_waiting()
    later = ask(browser, as_csv(people(2)), name="Later")
    right = settings.DPGOV_FINGERPRINT_KEY
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    for _ in range(ATTEMPTS + 1):
        read_next()
    later.refresh_from_db()
    assert (later.state, later.attempts) == (Arrival.State.WAITING, 0)
    assert "a worker can register nothing" in caplog.text
    settings.DPGOV_FINGERPRINT_KEY = right
    assert read_waiting() == 1
    assert Dataset.objects.count() == 2


def test_a_file_waits_as_long_as_storage_takes_none(
    browser: Client, asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, M52: no attempt is counted; it is not read over and over, and can be stopped."""
    before = files("data")
    with monkeypatch.context() as away:
        away.setattr(keeping, "keep", Mock(side_effect=StoreAway))
        for _ in range(ATTEMPTS + 1):
            with pytest.raises(StoreAway):
                read_next()
            assert next_claim() is None, "not at once"
            assert give_up_old(asked.tenant_id) == 0
            Arrival.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    asked.refresh_from_db()
    assert (asked.state, asked.attempts) == (Arrival.State.READING, 0)
    assert files("data") == before
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1
