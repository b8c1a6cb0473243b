"""L13, R12: the kernel refuses the reader's writes with ENOSPC, whatever it is writing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.tasks import read_next
from dpgov.engines import child
from dpgov.engines.ingest.drafts import draft_of
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import address, ask, files
from tests.integration.datasets.registering import declared

pytestmark = [pytest.mark.django_db, pytest.mark.real_reader]
OF_PEOPLE = {
    "unit": "person",
    "private_id": "city",
    "max_rows_per_unit": "2",
}


def _draft(draft: Path) -> None:
    draft.symlink_to("/dev/full")


def _put_aside(draft: Path) -> None:
    """Rows of people, in whatever files."""
    aside = draft.with_name(f"{draft.name}.aside")
    aside.mkdir()
    for number in range(64):
        (aside / f"{number}.arrows").symlink_to("/dev/full")


Fill = Callable[[Path], None]


def _full(monkeypatch: pytest.MonkeyPatch, fill: Fill) -> list[Path]:
    """What the child writes under such a name goes to a device that is always full."""
    really, drafts = child.ingest, []

    def ingest(source: Path, target: Path, **more: Any) -> Any:
        drafts.append(draft_of(target))
        fill(drafts[-1])
        return really(source, target, **more)

    monkeypatch.setattr(child, "ingest", ingest)
    return drafts


@pytest.mark.parametrize("fill", [_draft, _put_aside], ids=["the draft", "what is put aside"])
def test_a_disk_without_room_loses_nothing(
    browser: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fill: Fill
) -> None:
    """L13, R12: in the real child; nothing is left, both are told, and with room it goes on."""
    before, asked = files("data"), ask(browser, None, **OF_PEOPLE)
    with monkeypatch.context() as full:
        drafts = _full(full, fill)
        read_next()
    asked.refresh_from_db()
    assert (len(drafts), asked.state) == (1, Arrival.State.REFUSED)
    assert "no room to store a file" in caplog.text
    page = browser.get(address("reading", asked.upload), follow=True).content.decode()
    assert "has no room for the file at present" in page
    assert "Export it again" not in page
    assert files("data") == before
    assert not Dataset.objects.exists()
    browser.post(address("register", asked.upload), declared(**OF_PEOPLE))
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1
