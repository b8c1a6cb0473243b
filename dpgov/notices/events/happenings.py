"""What an entry of the audit log means for people: one function for each action that matters.

Reads what the entry is about, and changes nothing. An action that is not listed tells nobody.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from dpgov.approvals.kinds import kind_of
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.selectors import deciders
from dpgov.audit.actions import Action
from dpgov.datasets.audience import analysts_of
from dpgov.datasets.models import Dataset
from dpgov.notices.events.telling import Happening, people_having
from dpgov.notices.kinds import Kind
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.selectors import ended_after_restore
from dpgov.tenants.models import Role

Entry = Mapping[str, Any]


def happening_of(entry: Entry) -> Happening | None:
    """What to tell about this entry, if anything; `entry` as `audit.selectors.stream` gives it."""
    meaning = _MEANINGS.get(entry["action"])
    return meaning(entry) if meaning else None


def _requested(entry: Entry) -> Happening | None:
    request = _request(entry)
    if request is None:
        return None
    people = frozenset(member.user_id for member in deciders(request))
    return _of_change(entry, request, Kind.REQUEST, people)


def _decided(entry: Entry) -> Happening | None:
    request = _request(entry)
    if request is None:
        return None
    asked = frozenset({request.requested_by_id})
    return _of_change(entry, request, Kind.DECISION, asked, state=request.state)


def _approval_requested(entry: Entry) -> Happening | None:
    sent = _approval(entry)
    if sent is None:
        return None
    people = _people(entry, Role.OWNER) - {sent.asked_by_id}
    about = _about_approval(sent)
    return _happening(entry, Kind.REQUEST, people, about, dataset=sent.dataset_id)


def _approval_answered(entry: Entry) -> Happening | None:
    """Told to who asked; other requests for budget are told from their rows."""
    sent = _approval(entry)
    if sent is None:
        return None
    detail = _about_approval(sent) | {"state": sent.state}
    asked = frozenset({sent.asked_by_id})
    return _happening(entry, Kind.DECISION, asked, detail, dataset=sent.dataset_id)


def _approval(entry: Entry) -> BudgetRequest | None:
    about = {"about": BudgetRequest.About.QUESTION, "tenant_id": entry["tenant_id"]}
    found = BudgetRequest.objects.filter(**about, pk=_id_in(entry))
    return found.select_related("dataset").first()


def _about_approval(sent: BudgetRequest) -> dict[str, str]:
    return {"approval": str(sent.pk), "dataset": sent.dataset.name}


def _of_change(
    entry: Entry, request: ChangeRequest, kind: Kind, people: frozenset[UUID], **more: str
) -> Happening:
    name, dataset = named_by(request)
    about = {"request": str(request.pk), "change": request.kind} | more
    about |= {"dataset": name} if name else {}
    return _happening(entry, kind, people, about, dataset=dataset)


def _request(entry: Entry) -> ChangeRequest | None:
    known = json.loads(entry["detail"]).get("request")
    requests = ChangeRequest.objects.filter(tenant_id=entry["tenant_id"], pk=known)
    return requests.select_related("requested_by").first()


def _ended(entry: Entry) -> Happening | None:
    """Told when the page shows it and not before: at the end of the question's time slot."""
    queries = Query.objects.filter(tenant_id=entry["tenant_id"], pk=_id_in(entry))
    query = queries.select_related("dataset").first()
    if query is None or query.visible_at is None:
        return None
    state = "restored" if ended_after_restore(query) else query.state
    return _happening(
        entry,
        Kind.QUESTION,
        frozenset({query.analyst_id}),
        {"query": str(query.pk), "dataset": query.dataset.name, "state": state},
        due_at=query.visible_at,
    )


def _held(entry: Entry) -> Happening | None:
    datasets = Dataset.objects.filter(tenant_id=entry["tenant_id"], pk=_id_in(entry))
    dataset = datasets.first()
    if dataset is None:
        return None
    people = _people(entry, Role.OFFICER) | {dataset.owner_id}
    detail = {"what": "dataset", "dataset": dataset.name}
    return _happening(entry, Kind.HOLD, people, detail, dataset=dataset.pk)


def _new_data(entry: Entry) -> Happening | None:
    """The same words for everything that is new: what it resembles is seen by looking."""
    dataset = Dataset.objects.filter(tenant_id=entry["tenant_id"], pk=_id_in(entry)).first()
    if dataset is None:
        return None
    people, detail = _people(entry, Role.OFFICER), {"dataset": dataset.name}
    return _happening(entry, Kind.NEW_DATA, people, detail, dataset=dataset.pk)


def _looked_at(entry: Entry) -> Happening | None:
    """Told to the owner, and only if their data waited for it."""
    dataset = Dataset.objects.filter(tenant_id=entry["tenant_id"], pk=_id_in(entry)).first()
    if dataset is None or not json.loads(entry["detail"])["begins"]:
        return None
    people, detail = frozenset({dataset.owner_id}), {"what": "begins", "dataset": dataset.name}
    return _happening(entry, Kind.HOLD, people, detail, dataset=dataset.pk)


def _new_terms(entry: Entry) -> Happening | None:
    """Told to who asked before and still may: everybody else meets the terms as they begin."""
    found = Dataset.objects.filter(tenant_id=entry["tenant_id"], pk=_id_in(entry))
    dataset = found.first()
    if dataset is None:
        return None
    asked = Query.objects.filter(dataset=dataset, analyst=OuterRef("user")).order_by()
    people = analysts_of(dataset).filter(Exists(asked)).values_list("user_id", flat=True)
    detail = {"dataset": dataset.name, "slug": dataset.slug}
    return _happening(entry, Kind.TERMS, frozenset(people), detail, dataset=dataset.pk)


def _frozen(entry: Entry) -> Happening | None:
    people = _people(entry, Role.OFFICER, Role.OWNER)
    return _happening(entry, Kind.HOLD, people, {"what": "frozen"})


def named_by(request: ChangeRequest) -> tuple[str, UUID | None]:
    """What it is called by, and the dataset without which it is nothing to be told of.

    No dataset where it is about a person, or about a shared budget as a whole, which has a name of
    its own. Several datasets may have one budget: it is called by the name of one of them. Of
    several budgets somebody may not see each: then none is named.
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


def _people(entry: Entry, *roles: Role) -> frozenset[UUID]:
    return people_having(entry["tenant_id"], *roles)


def _id_in(entry: Entry) -> UUID:
    return UUID(str(entry["subject"]).partition(":")[2])


def _happening(
    entry: Entry,
    kind: Kind,
    people: frozenset[UUID],
    detail: dict[str, str],
    *,
    due_at: datetime | None = None,
    dataset: UUID | None = None,
) -> Happening:
    return Happening(
        key=f"entry:{entry['sequence']}",
        kind=kind,
        due_at=due_at or entry["at"],
        people=people,
        detail=detail,
        dataset=dataset,
    )


_MEANINGS: dict[str, Callable[[Entry], Happening | None]] = {
    Action.CHANGE_REQUESTED.value: _requested,
    Action.CHANGE_APPROVED.value: _decided,
    Action.CHANGE_REJECTED.value: _decided,
    Action.CHANGE_LAPSED.value: _decided,
    Action.APPROVAL_REQUESTED.value: _approval_requested,
    Action.QUESTION_APPROVED.value: _approval_answered,
    Action.BUDGET_REQUEST_DECLINED.value: _approval_answered,
    Action.BUDGET_REQUEST_LAPSED.value: _approval_answered,
    Action.QUERY_FAILED.value: _ended,
    Action.QUERY_VOIDED.value: _ended,
    Action.QUERY_EXPIRED.value: _ended,
    Action.DATASET_HELD.value: _held,
    Action.DATASET_PAUSED.value: _held,
    Action.LIVE_TABLE_HELD.value: _held,
    Action.DATASET_REGISTERED.value: _new_data,
    Action.DATASET_DERIVED.value: _new_data,
    Action.DATASET_VERSION_ADDED.value: _new_data,
    Action.DATASET_LOOKED_AT.value: _looked_at,
    Action.DATASETS_FROZEN.value: _frozen,
    Action.TERMS_SET.value: _new_terms,
}
