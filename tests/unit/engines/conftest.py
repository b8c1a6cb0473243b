"""What the tests of readers share."""

import pytest

from dpgov.engines import child
from tests import forked_reader


@pytest.fixture
def by_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is read: no reader loads its libraries for itself."""
    monkeypatch.setattr(child, "converse", forked_reader.converse)
