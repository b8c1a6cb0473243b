"""Shared by the tests of what people can do: files are read once in a run."""

import pytest

from tests import read_once


@pytest.fixture(autouse=True)
def _each_file_is_read_once(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the reader itself is tried."""
    if request.node.get_closest_marker("real_reader") is None:
        monkeypatch.setattr("dpgov.engines.child.converse", read_once.converse)
