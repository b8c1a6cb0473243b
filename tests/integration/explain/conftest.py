"""Fixtures of neighbours that tests of this room ask for."""

from tests.integration.dashboards.conftest import (  # noqa: F401 - fixtures
    colleague,
    in_use,
    paths,
)
