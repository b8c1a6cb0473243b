"""What an analyst's journeys share."""

from collections.abc import Generator

import pytest

from tests.journeys.product import Product, started_product


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Generator[Product]:
    """One of their own: together with the others they would ask for more than an analyst may."""
    with started_product(tmp_path_factory.mktemp("asking"), beside_another=True) as started:
        yield started
