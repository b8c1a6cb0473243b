"""Whether each organisation's worker of joint answers is there.

For days it has nothing to do, and after the opening of a question its silence fails that for
everybody, charged. What it says is that it lives, every ten seconds from a thread of its own,
whatever it is counting: never what it did, nor when it was done, which depends on rows.
"""

from uuid import UUID

from dpgov.joint.crossing import tenants_with_unfinished_parties
from dpgov.joint.models import Party
from dpgov.queries.answering.workers import BeatThread, heard_jointly, say_jointly
from dpgov.queries.models import Query


class JointBeat(BeatThread):
    """The thread that tells of one organisation's worker; its files are `joint-` and its name."""

    def __init__(self, tenant_id: UUID, organisation: str) -> None:
        super().__init__(f"joint-{organisation}", answers=False)
        self._tenant_id = tenant_id

    def tell(self) -> None:
        """In its row, for Home and the metrics, and by its file."""
        say_jointly(self._tenant_id)
        super().tell()


def workers_missed() -> int:
    """How many organisations have a joint question that has not ended, and no worker."""
    return len(set(tenants_with_unfinished_parties()) - heard_jointly())


def misses_its_worker(tenant_id: UUID) -> bool:
    """Whether this organisation is one of them."""
    waiting = Party.objects.filter(tenant=tenant_id, query__state=Query.State.RUNNING)
    return waiting.exists() and tenant_id not in heard_jointly()
