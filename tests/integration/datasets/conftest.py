"""An owner at the browser."""

from collections.abc import Callable

from django.test import Client

from dpgov.datasets.models import Dataset, Upload
from dpgov.tenants.models import Membership
from tests.integration.datasets.arriving import CHANGED, PEOPLE, arrives
from tests.integration.datasets.invented import as_csv
from tests.integration.datasets.registering import uploaded
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]


@made_once
def browser(owner: Membership, client_for: SignIn) -> Client:
    """The owner's."""
    return client_for(owner)


@made_once
def upload(browser: Client) -> Upload:
    """A small file that the owner uploaded and did not register yet."""
    return uploaded(browser)


@made_once
def elsewhere(stranger: Membership, client_for: SignIn) -> Client:
    """The browser of an owner of another tenant."""
    return client_for(stranger)


@made_once
def earlier(browser: Client) -> Dataset:
    """Sixty invented people who have a budget."""
    return arrives(browser, as_csv(PEOPLE), name="Earlier")


@made_once
def held(browser: Client, earlier: Dataset) -> Dataset:
    """Much the same people in the same tenant."""
    return arrives(browser, CHANGED["one row changed"](PEOPLE), name="Later", epsilon_limit="9")
