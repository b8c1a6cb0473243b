"""One server of an owner for all tests of the engine, whatever the profile, and a role to read."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.postgres import throw_away_postgres
from tests.unit.engines.postgres.owner import Owner, owner_of


@pytest.fixture(scope="session")
def owner() -> Iterator[Owner]:
    """The owner's server. Tables are made by tests, each under a name of its own."""
    with tempfile.TemporaryDirectory(dir=os.environ["DPGOV_TESTS_ROOT"]) as folder:
        root = Path(folder)
        root.chmod(0o711)
        with throw_away_postgres(root) as url:
            found = owner_of(url, root / "postgres.log")
            with found.admin:
                yield found
