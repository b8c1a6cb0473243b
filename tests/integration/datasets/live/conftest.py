"""A server of an owner, beside the product's own; and an installation that allows it."""

from collections.abc import Iterator
from typing import Any

import pytest

from dpgov.datasets.models import Dataset
from tests.integration.datasets.live.invented import become_live
from tests.unit.engines.postgres.owner import Owner, an_owner

COLUMNS = {"id": "integer", "age": "integer", "sex": "text", "note": "point"}
ROWS = [(row, row * 7 % 83, "fm"[row % 2], None) for row in range(1, 201)]


@pytest.fixture(scope="session")
def server() -> Iterator[Owner]:
    """It has one table at first: `people`, 200 of them."""
    with an_owner() as found:
        yield found


@pytest.fixture
def live(dataset: Dataset) -> Dataset:
    """A live table that nobody asks."""
    become_live(dataset)
    return dataset


@pytest.fixture(autouse=True)
def people(server: Owner) -> None:
    server.has("people", COLUMNS, ROWS)


@pytest.fixture(autouse=True)
def _allowed(server: Owner, settings: Any) -> None:
    servers = frozenset({server.server.address})
    settings.DPGOV_LIVE = settings.DPGOV_LIVE | {"servers": servers, "tls": "disable"}
