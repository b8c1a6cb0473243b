"""Three organisations with a dataset each, for whoever lets them answer together."""

from tests.integration.joint.made import Side, three
from tests.made_once import made_once


@made_once
def sides(db: None) -> list[Side]:
    return three()
