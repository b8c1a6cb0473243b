"""Which tests stay in one process of xdist: those of a module, and all journeys.

A journey needs the started product and a browser, which take longer to start than most journeys
take. One after the other they find the same product, as they do without xdist.
"""

from xdist.scheduler import LoadScopeScheduling

_JOURNEYS = "tests/journeys/"


class Together(LoadScopeScheduling):
    """Hands out whole modules, and the journeys as one."""

    def _split_scope(self, nodeid: str) -> str:
        return _JOURNEYS if nodeid.startswith(_JOURNEYS) else super()._split_scope(nodeid)
