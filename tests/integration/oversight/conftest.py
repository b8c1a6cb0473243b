"""Fixtures of neighbours that tests of this room ask for."""

from tests.integration.approvals.conftest import (  # noqa: F401 - fixtures
    change,
)
