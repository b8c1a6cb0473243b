"""An entry of the log as one sentence: who did what, in names and amounts.

Made when it is shown, out of the stored code and values; nothing of it is kept or hashed. Names are
those of today: what the log wrote itself stands on the entry's own page. Where an entry lacks what
its sentence needs, the words of its action stand for it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from dpgov.approvals.kinds import kind_of
from dpgov.audit.actions import Action
from dpgov.audit.bounded import is_cut
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.language.translation import in_a_row, retold
from dpgov.oversight.log.words import in_words
from dpgov.queries.models import Query
from dpgov.queries.wording.words import in_words as question_in_words
from dpgov.tenants.role_names import in_words as roles_in_words
from dpgov.tenants.roles import CODES

_UNITS = {"epsilon": "ε", "rho": "ρ"}
_PATTERNS: dict[str, str | Promise] = {
    Action.QUERY_SUBMITTED: gettext_lazy("{who} asked: {question}"),
    Action.QUERY_RELEASED: gettext_lazy("{analyst} got an answer: {question}"),
    Action.QUERY_REUSED: gettext_lazy("{who} took a free answer: {question}"),
    Action.QUERY_FAILED: gettext_lazy("A question of {analyst} failed, charged: {question}"),
    Action.QUERY_VOIDED: gettext_lazy("A question of {analyst} was not run: {question}"),
    Action.QUERY_EXPIRED: gettext_lazy("A question of {analyst} expired: {question}"),
    Action.QUERY_EXTENDED: gettext_lazy("A question of {analyst} took longer: {question}"),
    Action.DATASET_REGISTERED: gettext_lazy("{who} registered {name}"),
    Action.DATASET_DERIVED: gettext_lazy("{who} derived {name} from {parents}"),
    Action.DATASET_NOT_DERIVED: gettext_lazy("{who} could not derive {name} from {parents}"),
    Action.DATASET_HELD: gettext_lazy("{who} registered {name}, which is held"),
    Action.DATASET_VERSION_ADDED: gettext_lazy("{who} added version {version}"),
    Action.DATASET_ARCHIVED: gettext_lazy("{who} archived {name}"),
    Action.DATASET_DATA_DELETED: gettext_lazy("{who} deleted the data of {name}"),
    Action.VERSION_DATA_DELETED: gettext_lazy(
        "{who} deleted the data of version {version} of {name}"
    ),
    Action.DATASET_RENAMED: gettext_lazy("{who} renamed {before} to {after}"),
    Action.DATASET_PAUSED: gettext_lazy("{who} held {name} for a compliance check"),
    Action.QUESTIONS_PAUSED: gettext_lazy("{who} paused all questions about {name}"),
    Action.QUESTIONS_RESUMED: gettext_lazy("{who} resumed questions about {name}"),
    Action.READY_MADE_PUBLISHED: gettext_lazy("{who} published the ready-made question “{name}”"),
    Action.READY_MADE_WITHDRAWN: gettext_lazy("{who} withdrew the ready-made question “{name}”"),
    Action.APPROVAL_REQUESTED: gettext_lazy("{who} asked for the approval of: {question}"),
    Action.QUESTION_APPROVED: gettext_lazy("{who} approved for {person}: {question}"),
    Action.TERMS_SET: gettext_lazy("{who} set version {version} of the terms of use of {name}"),
    Action.TERMS_REMOVED: gettext_lazy("{who} removed the terms of use of {name}"),
    Action.TERMS_ACCEPTED: gettext_lazy(
        "{who} accepted version {version} of the terms of use of {name}"
    ),
    Action.JOINT_PROPOSED: gettext_lazy("{who} proposed the joint question “{name}”"),
    Action.LIVE_CREDENTIALS_REPLACED: gettext_lazy("{who} replaced the password of {name}"),
    Action.LIVE_TABLE_HELD: gettext_lazy(
        "{name} is held: its live table reads what another dataset has a budget for"
    ),
    Action.LIVE_TABLE_REFRESHED: gettext_lazy(
        "{who} declared the rows of {name} refreshed, as version {version}"
    ),
    Action.SURVEY_MADE: gettext_lazy("{who} drafted the survey “{name}”"),
    Action.SURVEY_TOKENS_MADE: gettext_lazy("{who} made {tokens} tokens of the survey “{name}”"),
    Action.SURVEY_OPENED: gettext_lazy("{who} opened the survey “{name}”"),
    Action.SURVEY_CLOSED: gettext_lazy("{who} closed the survey “{name}”"),
    Action.AUDIENCE_CHANGED: gettext_lazy("{who} changed who sees {name}"),
    Action.RETENTION_CHANGED: gettext_lazy("{who} set the last day of the data of {name}: {after}"),
    Action.BUDGET_ALLOCATED: gettext_lazy("{who} granted an allocation to {name}"),
    Action.ALLOCATION_WITHDRAWN: gettext_lazy("{who} withdrew the allocation of {name}"),
    Action.BUDGET_LIMIT_CHANGED: gettext_lazy("{who} changed a limit from {before} to {after}"),
    Action.BUDGET_REQUESTED: gettext_lazy("{who} asked for a budget of {amount}"),
    Action.CHANGE_REQUESTED: gettext_lazy("{who} requested a change: {change}"),
    Action.CHANGE_APPROVED: gettext_lazy("{who} approved a change: {change}"),
    Action.CHANGE_REJECTED: gettext_lazy("{who} rejected a change: {change}"),
    Action.CHANGE_WITHDRAWN: gettext_lazy("{who} withdrew a request: {change}"),
    Action.MEMBER_ADDED: gettext_lazy("{who} added {email} as {role}"),
    Action.MEMBER_REMOVED: gettext_lazy("{who} removed {email}"),
    Action.INVITATION_SENT: gettext_lazy("{who} invited {email} as {role}"),
    Action.TOKEN_CREATED: gettext_lazy("{who} created the API token “{name}”"),
    Action.TOKEN_REVOKED: gettext_lazy("{who} revoked the API token “{name}”"),
    Action.PROJECT_CREATED: gettext_lazy("{who} created the project {name}"),
    Action.PROJECT_ENDED: gettext_lazy("{who} ended the project {name}"),
}
_OF_APPROVALS = (Action.APPROVAL_REQUESTED.value, Action.QUESTION_APPROVED.value)
_CANCELLED = gettext_lazy("{who} cancelled a question of {analyst}: {question}")
_OTHERWISE = gettext_lazy("{who}: {action}")
_WHY = ("reason", "decision_reason", "outcome")
_NAMED = ("name", "email", "person", "version", "before", "after", "cancelled", "tokens")


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry as it stands in the list: `who` by name, `dataset` by name, the amount if any."""

    entry: AuditEntry
    words: str
    who: str
    sentence: str
    reason: str
    amount: str
    dataset: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What the entries of one page are about, by what the log wrote."""

    people: Mapping[str, str]
    datasets: Mapping[str, str]
    questions: Mapping[str, Query]


def lines_of(
    tenant_id: UUID, entries: Sequence[AuditEntry], people: Mapping[str, str]
) -> list[LogRow]:
    """Each entry as a line, in the same order; two reads, however many there are.

    `people` are the names of the `labels_in` the entries, by e-mail.
    """
    known = _Known(
        people,
        _datasets(tenant_id, {entry.dataset for entry in entries if entry.dataset}),
        _questions(tenant_id, entries),
    )
    return [_line(entry, known) for entry in entries]


def labels_in(entries: Iterable[AuditEntry]) -> set[str]:
    """Of the people, not the machines, who took these steps."""
    return {entry.actor_label for entry in entries if entry.actor_kind == "user"}


def _datasets(tenant_id: UUID, slugs: set[str]) -> dict[str, str]:
    found = Dataset.objects.filter(tenant_id=tenant_id, slug__in=slugs, archived_at__isnull=True)
    return dict(found.values_list("slug", "name"))


def _questions(tenant_id: UUID, entries: Iterable[AuditEntry]) -> dict[str, Query]:
    ids = {found for entry in entries if (found := _question_id(entry.subject)) is not None}
    asked = Query.objects.filter(tenant_id=tenant_id, pk__in=ids).select_related("analyst")
    return {f"query:{query.pk}": query for query in asked}


def _question_id(subject: str) -> UUID | None:
    kind, _colon, text = subject.partition(":")
    try:
        return UUID(text) if kind == "query" else None
    except ValueError:
        return None


def _line(entry: AuditEntry, known: _Known) -> LogRow:
    detail = _detail(entry.detail)
    who = known.people.get(entry.actor_label, entry.actor_label)
    words = in_words(entry.action)
    values = {"who": who, "action": words, **_values(entry, detail, known)}
    return LogRow(
        entry=entry,
        words=words,
        who=who,
        sentence=_sentence(entry.action, values),
        reason=_reason(detail),
        amount=_amount(detail) if entry.subject.startswith("query:") else "",
        dataset=known.datasets.get(entry.dataset, entry.dataset),
    )


def _reason(detail: Mapping[str, Any]) -> str:
    """In a person's own words, or in ours, in the reader's language."""
    kept = next((found for name in _WHY if (found := detail.get(name))), "")
    return _retold(kept) if isinstance(kept, dict) else str(kept)


def _retold(kept: Mapping[str, Any]) -> str:
    """Nothing of what is no sentence of ours: a log that somebody changed must still be read."""
    try:
        return retold(kept)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return ""


def told_in(detail: str) -> list[str]:
    """What a check of the log found, as sentences in the reader's language."""
    lists = (_detail(detail).get(name) for name in ("problems", "unread"))
    found = (one for kept in lists if isinstance(kept, list) for one in kept)
    return [words for one in found if isinstance(one, dict) and (words := _retold(one))]


def _sentence(action: str, values: Mapping[str, str]) -> str:
    pattern = str(_CANCELLED if "cancelled" in values else _PATTERNS.get(action, _OTHERWISE))
    try:
        return pattern.format(**values)
    except KeyError:
        return str(_OTHERWISE).format(**values)


def _values(entry: AuditEntry, detail: Mapping[str, Any], known: _Known) -> dict[str, str]:
    """What a sentence may name; only what is there."""
    found = {name: str(detail[name]) for name in _NAMED if detail.get(name) not in (None, "")}
    for name in ("before", "after"):
        if amount := _amount(detail, f"{name}_"):
            found[name] = amount
    if amount := _amount(detail):
        found["amount"] = amount
    if (roles := CODES.get(str(detail.get("role")))) is not None:
        found["role"] = roles_in_words(roles)
    if isinstance(kind := detail.get("kind"), str):
        found["change"] = _change(kind)
    if isinstance(parents := detail.get("derived_from"), list):
        found["parents"] = _parents(parents)
    if entry.action in _OF_APPROVALS and _is_plan(plan := detail.get("plan")):
        found["question"] = question_in_words(plan)
    if (query := known.questions.get(entry.subject)) is not None:
        found |= {"question": question_in_words(query.plan), "analyst": str(query.analyst)}
    return found


def _is_plan(value: object) -> TypeGuard[dict[str, Any]]:
    """One of very many characters was cut when it was recorded."""
    return isinstance(value, dict) and not is_cut(value)


def _parents(parents: Sequence[Any]) -> str:
    """Each with the version whose rows were used."""
    pattern = gettext("{name} (version {version})")
    known = [one for one in parents if isinstance(one, dict) and {"name", "version"} <= set(one)]
    return in_a_row([pattern.format(name=one["name"], version=one["version"]) for one in known])


def _change(kind: str) -> str:
    try:
        return str(kind_of(kind).label)
    except LookupError:
        return kind


def _amount(detail: Mapping[str, Any], before: str = "") -> str:
    """As the log has it, exactly: "ε 0.5"; empty where there is none."""
    for unit, sign in _UNITS.items():
        if isinstance(text := detail.get(f"{before}{unit}"), str):
            return f"{sign} {text}"
    return ""


def _detail(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
