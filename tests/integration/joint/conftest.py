"""Three organisations with a dataset each, for whoever lets them answer together."""

import pytest

from tests.integration.joint.made import Side, three


@pytest.fixture
def sides(db: None) -> list[Side]:
    return three()
