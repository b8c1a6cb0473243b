"""The kinds of live tables there are: each is one engine's, and says all that differs.

A further one is a module here, beside its engine, and a line in `KINDS`.
"""

from collections.abc import Mapping

from dpgov.datasets.models import LiveTable
from dpgov.datasets.services.live.kinds.base import SourceKind
from dpgov.datasets.services.live.kinds.postgres import Postgres
from dpgov.datasets.services.live.kinds.spark import Spark

KINDS: Mapping[str, SourceKind] = {kind.name: kind for kind in (Postgres(), Spark())}


def kind_of(live: LiveTable) -> SourceKind:
    """What this table is read by."""
    return KINDS[live.kind]


def offered() -> list[SourceKind]:
    """Those of which this installation lists a server."""
    return [kind for kind in KINDS.values() if kind.is_offered]
