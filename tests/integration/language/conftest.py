"""The same two tenants that the tests of access knock at."""

from tests.integration.access.conftest import world  # noqa: F401 - a fixture
