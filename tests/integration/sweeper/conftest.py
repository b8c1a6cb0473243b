"""Fixtures that tests of the log have as well: its rounds are the sweeper's."""

from tests.integration.audit.conftest import old_key, own_folders, world  # noqa: F401 - fixtures
