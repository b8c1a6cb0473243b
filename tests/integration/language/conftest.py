"""The same two tenants that the tests of access knock at, and English again after each test."""

from collections.abc import Generator

import pytest
from django.conf import settings
from django.utils import translation

from tests.integration.access.conftest import world  # noqa: F401 - a fixture


@pytest.fixture(autouse=True)
def english_again() -> Generator[None]:
    """The language of the last request stays with its thread."""
    yield
    translation.activate(settings.LANGUAGE_CODE)
