"""One cluster of an owner for all tests of the engine, and a folder that it reads."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.spark import throw_away_spark
from tests.unit.engines.spark.owner import Owner


@pytest.fixture(scope="session")
def owner() -> Iterator[Owner]:
    """The owner's cluster. Files are written by tests, each under a name of its own."""
    with tempfile.TemporaryDirectory(dir=os.environ["DPGOV_TESTS_ROOT"]) as folder:
        root = Path(folder)
        (root / "files").mkdir()
        with throw_away_spark(root) as spark:
            yield Owner(spark, root / "files")
