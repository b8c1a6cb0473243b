"""Functions of the database follow their texts, whatever they returned before."""

from functools import partial

import pytest

from dpgov.operation import installed
from dpgov.operation.installed import Installed
from tests.integration.tenants.wall.conftest import rows

pytestmark = pytest.mark.django_db


def test_a_function_that_returns_something_else_takes_the_place_of_the_old_one() -> None:
    """CREATE OR REPLACE refuses this; the steps of the ledger have needed it."""
    for returns, body, answer in (("integer", "SELECT 7", 7), ("text", "SELECT $$7$$", "7")):
        made = f"CREATE FUNCTION garden_seven() RETURNS {returns} LANGUAGE sql AS '{body}'"
        seven = Installed(("garden_seven",), (made,))
        installed.register("garden", partial(list, [seven]))
        try:
            installed.put_up()
        finally:
            installed.register("garden", tuple)
        assert rows("SELECT garden_seven()") == [(answer,)]
