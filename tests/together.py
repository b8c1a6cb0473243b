"""Which tests stay in one process of xdist: those of a module, all journeys, and the house's.

A journey needs the started product and a browser, which take longer to start than most journeys
take. One after the other they find the same product, as they do without xdist. The guards of the
house all read the same code, which takes longer to parse than to look at.
"""

from xdist.scheduler import LoadScopeScheduling

AS_ONE = ("tests/journeys/", "tests/house/")


class Together(LoadScopeScheduling):
    """Hands out whole modules, and each of these folders as one."""

    def _split_scope(self, nodeid: str) -> str:
        whole = (folder for folder in AS_ONE if nodeid.startswith(folder))
        return next(whole, super()._split_scope(nodeid))
