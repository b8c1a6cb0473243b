"""What the guards of the house share."""

from collections.abc import Generator

import pytest

from tests.house import tree


@pytest.fixture(scope="package", autouse=True)
def _let_go_of_parsed_files() -> Generator[None]:
    """All of the code takes hundreds of megabytes, which other tests need not carry along."""
    yield
    tree.parsed.cache_clear()
