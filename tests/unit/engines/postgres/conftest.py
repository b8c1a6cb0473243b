"""One server of an owner for all tests of the engine, whatever the profile, and a role to read."""

from collections.abc import Iterator

import pytest

from tests.unit.engines.postgres.owner import Owner, an_owner


@pytest.fixture(scope="session")
def owner() -> Iterator[Owner]:
    """The owner's server. Tables are made by tests, each under a name of its own."""
    with an_owner() as found:
        yield found
