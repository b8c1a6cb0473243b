"""An owner at the browser."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.datasets.models import Upload
from dpgov.tenants.models import Membership
from tests.integration.datasets.registering import uploaded


@pytest.fixture
def browser(owner: Membership, client_for: Callable[[Membership], Client]) -> Client:
    """The owner's."""
    return client_for(owner)


@pytest.fixture
def upload(browser: Client) -> Upload:
    """A small file that the owner uploaded and did not register yet."""
    return uploaded(browser)
