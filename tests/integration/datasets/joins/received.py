"""Files that were really received, for tests of every door."""

from typing import Any

from dpgov.datasets.models import Upload
from tests.integration.access.world import World
from tests.integration.datasets.joins.public import send
from tests.integration.datasets.registering import send_file


def received_file(world: World) -> dict[str, Any]:
    """A file with its bytes: the one in `world.own` is a row without a file."""
    send_file(world.browser("owner"))
    return {"upload_id": Upload.objects.latest("created_at").pk}


def with_public_table(world: World) -> dict[str, Any]:
    """The same with a public table beside it."""
    found = received_file(world)
    send(world.browser("owner"), Upload.objects.get(pk=found["upload_id"]))
    return found
