"""What is named where a request for a change is told of: one dataset, which the reader has to see.

A request may be about several, and of each somebody may not see it: then none is named.
"""

from uuid import UUID

from django.db.models import F

from dpgov.approvals.kinds import kind_of
from dpgov.approvals.models import ChangeRequest
from dpgov.datasets.models import Dataset


def named_by(request: ChangeRequest) -> tuple[str, UUID | None]:
    """What it is called by, and the dataset without which it is nothing to be told of.

    No dataset where it is about a person, or about a shared budget as a whole, which has a name of
    its own. Several datasets may have one budget: it is called by the name of one of them.
    """
    found = Dataset.objects.filter(
        kind_of(request.kind).about(request), tenant_id=request.tenant_id
    )
    known = list(found.order_by(F("archived_at").desc(nulls_first=True), "pk"))
    if len(known) > 1:
        known = [one for one in known if one.slug == request.dataset][:1]
        if not known:
            return "", None
    return request.dataset, known[0].pk if known else None
