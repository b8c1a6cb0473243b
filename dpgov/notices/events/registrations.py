"""What became of files that somebody asked to have registered: told to them, and to nobody else.

The log says that a dataset was registered, and nothing of a file that was refused: so this looks at
the arrivals themselves. Each is told once.
"""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from dpgov.datasets.models import Arrival
from dpgov.notices.events.telling import Happening
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event

# A sweeper that was away for longer tells no old news.
_NEWS = timedelta(days=7)
_MOST = 200


def registrations(tenant_id: UUID) -> Iterator[Happening]:
    """What to tell about the tenant's files that were read or given up lately."""
    ended = list(_ended(tenant_id)[:_MOST])
    told = _told(tenant_id, ended)
    return (_happening(arrival) for arrival in ended if _key(arrival) not in told)


def _ended(tenant_id: UUID) -> QuerySet[Arrival]:
    rows = Arrival.objects.filter(
        tenant_id=tenant_id,
        state__in=[Arrival.State.DONE, Arrival.State.REFUSED],
        ended_at__gt=Now() - _NEWS,
    )
    return rows.select_related("upload", "dataset").order_by("-ended_at")


def _told(tenant_id: UUID, arrivals: list[Arrival]) -> set[str]:
    events = Event.objects.filter(tenant_id=tenant_id, key__in=map(_key, arrivals))
    return set(events.values_list("key", flat=True))


def _key(arrival: Arrival) -> str:
    return f"arrival:{arrival.pk}"


def _happening(arrival: Arrival) -> Happening:
    detail = {
        "state": arrival.state,
        "file": arrival.upload.original_name,
        "upload": str(arrival.upload_id),
    }
    if arrival.dataset is not None:
        detail["dataset"] = arrival.dataset.name
    return Happening(
        key=_key(arrival),
        kind=Kind.REGISTRATION,
        due_at=arrival.ended_at or arrival.asked_at,
        people=frozenset({arrival.asked_by_id}),
        detail=detail,
        personal=True,
    )
