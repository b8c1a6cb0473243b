"""A server of an owner, and a product that is allowed to ask it."""

from collections.abc import Iterator

import pytest

from tests.journeys.product import Product, started_product
from tests.unit.engines.postgres.owner import Owner, an_owner


@pytest.fixture(scope="package")
def server() -> Iterator[Owner]:
    with an_owner() as found:
        yield found


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory, server: Owner) -> Iterator[Product]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DPGOV_LIVE_SERVERS", server.server.address)
        patch.setenv("DPGOV_LIVE_SPARK", "127.0.0.1:15002=s3a://hospital/data/")
        patch.setenv("DPGOV_LIVE_TLS", "disable")
        home = tmp_path_factory.mktemp("live")
        with started_product(home, beside_another=True) as started:
            yield started
