"""An owner at the browser, who has asked to have a file registered."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Arrival, Upload
from dpgov.engines import child
from dpgov.engines.child import Progress
from dpgov.tenants.models import Membership
from tests.integration.datasets.registering import declared, uploaded
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]


@made_once
def browser(owner: Membership, client_for: SignIn) -> Client:
    return client_for(owner)


@made_once
def asked(browser: Client) -> Arrival:
    """A small file that waits to be read."""
    return ask(browser)


def ask(browser: Client, content: bytes | None = None, **changes: str) -> Arrival:
    """Upload and declare it; nobody has read it yet."""
    upload = uploaded(browser) if content is None else uploaded(browser, content)
    response = browser.post(address("register", upload), declared(**changes))
    assert response.status_code == 302, response.content.decode()
    assert response.headers["Location"] == address("reading", upload)
    return Arrival.objects.get(upload=upload)


def address(name: str, upload: Upload | None) -> str:
    """A page about an upload."""
    assert upload is not None
    return reverse(f"datasets:{name}", args=[upload.pk])


def files(folder: str) -> set[str]:
    """What lies in a part of the state folder."""
    path = Path(settings.DPGOV_HOME) / folder
    return {found.name for found in path.iterdir()} if path.is_dir() else set()


def while_it_is_read(monkeypatch: pytest.MonkeyPatch, step: Callable[[], object]) -> None:
    """The reader tells how far it is, and this happens before it is done."""
    really = child.ingest

    def ingest(*args: Any, watch: Any, **kwargs: Any) -> Any:
        step()
        watch(Progress(1, 1))
        return really(*args, watch=watch, **kwargs)

    monkeypatch.setattr(child, "ingest", ingest)
