"""What is named where a request for a change is told of: one dataset, which the reader has to see.

A request may be about several, and of each somebody may not see it: then none is named.
"""

from collections.abc import Callable
from uuid import UUID

from django.db.models import F, QuerySet

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query


def named_by(request: ChangeRequest) -> tuple[str, UUID | None]:
    """What it is called by, and the dataset without which it is nothing to be told of.

    No dataset where it is about a person, or about a shared budget as a whole, which has a name of
    its own. Several datasets may have one budget: it is called by the name of one of them.
    """
    datasets = Dataset.objects.filter(tenant_id=request.tenant_id)
    about = request.subject.partition(":")[0]
    found = _ABOUT[about](datasets, request) if about in _ABOUT else datasets.none()
    known = list(found.order_by(F("archived_at").desc(nulls_first=True), "pk"))
    if len(known) > 1:
        known = [one for one in known if one.slug == request.dataset][:1]
        if not known:
            return "", None
    return request.dataset, known[0].pk if known else None


_Datasets = QuerySet[Dataset]


def _itself(datasets: _Datasets, request: ChangeRequest) -> _Datasets:
    return datasets.filter(pk=_id_in(request))


def _of_budget(datasets: _Datasets, request: ChangeRequest) -> _Datasets:
    """Whose budget it is; of an invitation that is accepted those that shall share it."""
    if request.kind == ACCEPT_SHARED_BUDGET:
        return datasets.filter(budget__in=request.payload["dataset_budgets"])
    return datasets.filter(budget=_id_in(request))


def _of_query(datasets: _Datasets, request: ChangeRequest) -> _Datasets:
    asked = Query.objects.filter(tenant_id=request.tenant_id, pk=_id_in(request))
    return datasets.filter(pk__in=asked.values("dataset"))


def _that_takes_part(datasets: _Datasets, request: ChangeRequest) -> _Datasets:
    return datasets.filter(pk=request.payload["dataset"])


_ABOUT: dict[str, Callable[[_Datasets, ChangeRequest], _Datasets]] = {
    "dataset": _itself,
    "budget": _of_budget,
    "query": _of_query,
    "joint": _that_takes_part,
}


def _id_in(request: ChangeRequest) -> UUID:
    return UUID(request.subject.partition(":")[2])
