"""An owner at the browser."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset, Upload
from dpgov.tenants.models import Membership
from tests.integration.datasets.arriving import CHANGED, PEOPLE, arrives
from tests.integration.datasets.invented import as_csv
from tests.integration.datasets.registering import uploaded

SignIn = Callable[[Membership], Client]


@pytest.fixture
def browser(owner: Membership, client_for: SignIn) -> Client:
    """The owner's."""
    return client_for(owner)


@pytest.fixture
def upload(browser: Client) -> Upload:
    """A small file that the owner uploaded and did not register yet."""
    return uploaded(browser)


@pytest.fixture
def elsewhere(stranger: Membership, client_for: SignIn) -> Client:
    """The browser of an owner of another tenant."""
    return client_for(stranger)


@pytest.fixture
def earlier(browser: Client) -> Dataset:
    """Sixty invented people who have a budget."""
    return arrives(browser, as_csv(PEOPLE), name="Earlier")


@pytest.fixture
def held(browser: Client, earlier: Dataset) -> Dataset:
    """Much the same people in the same tenant."""
    return arrives(browser, CHANGED["one row changed"](PEOPLE), name="Later", epsilon_limit="9")
