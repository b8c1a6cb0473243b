"""How long a file will be read, said to its owner once it can be told."""

from datetime import timedelta

import pytest
from django.test import Client

from dpgov.datasets.models import Arrival, Upload
from dpgov.operation import clock
from tests.integration.datasets.arrivals.conftest import address

pytestmark = pytest.mark.django_db
OF_A_HUNDRED_BYTES = [
    (25, 300, "About 15 minutes left at this speed."),
    (90, 300, "Less than a minute left at this speed."),
    (100, 300, ""),
    (1, 300, ""),
    (25, 2, ""),
]


@pytest.mark.parametrize(("read", "seconds", "said"), OF_A_HUNDRED_BYTES)
def test_an_estimate_follows_the_speed_and_is_not_given_before_it_can_tell(
    browser: Client, asked: Arrival, read: int, seconds: int, said: str
) -> None:
    Upload.objects.update(byte_size=100)
    Arrival.objects.update(
        state="reading", bytes_read=read, taken_at=clock.now() - timedelta(seconds=seconds)
    )
    page = browser.get(address("reading_now", asked.upload)).content.decode()
    assert ("left at this speed" in page) is bool(said)
    assert said in page
