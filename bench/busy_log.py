"""A long log by COPY: two entries for each question, other steps between them, true hashes.

What is no question is spread over the steps that scripts repeat every day (tokens, uploads,
versions, exports, allocations) and those that persons take, so that no search has it easy.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from bench.busy import Asked, copy, in_order
from bench.cast import Cast
from dpgov.audit.actions import Action
from dpgov.audit.entry import canonical_json, fragments, iso, leaf_hash
from dpgov.privacy.accounting.decimals import as_text

_COLUMNS = (
    "tenant_id, sequence, at, actor_kind, actor_id, actor_label, action, subject, dataset, detail,"
    " leaf_hash"
)
# How often each comes in turn: (action, by which role, about a dataset).
_OTHERS = (
    *[(Action.TOKEN_CREATED, "analyst", False), (Action.TOKEN_REVOKED, "analyst", False)] * 6,
    *[(Action.FILE_UPLOADED, "owner", False), (Action.UPLOAD_DISCARDED, "owner", False)] * 4,
    *[(Action.DATASET_VERSION_ADDED, "owner", True)] * 5,
    *[(Action.BUDGET_ALLOCATED, "owner", True), (Action.ALLOCATION_WITHDRAWN, "owner", True)] * 2,
    (Action.AUDIT_LOG_EXPORTED, "officer", False),
    (Action.AUDIT_LOG_VERIFIED, "officer", False),
    (Action.CHANGE_REQUESTED, "owner", True),
    (Action.CHANGE_APPROVED, "officer", True),
    (Action.POLICY_CHANGED, "owner", True),
    (Action.INVITATION_SENT, "admin", False),
    (Action.MEMBER_ADDED, "admin", False),
)
_ENDINGS = {"released": Action.QUERY_RELEASED, "failed": Action.QUERY_FAILED}


def fill_log(
    connection: psycopg.Connection, cast: Cast, asked: Sequence[Asked], entries: int
) -> None:
    """Entries behind those that the log has, up to so many in all; its head follows."""
    tenant = cast.tenant.pk
    found = connection.execute(
        "SELECT sequence FROM audit_audithead WHERE tenant_id = %s", [tenant]
    ).fetchone()
    first = found[0] if found else 0
    copy(connection, "audit_auditentry", _COLUMNS, _rows(cast, asked, first, entries))
    connection.execute(
        "UPDATE audit_audithead SET sequence = %s WHERE tenant_id = %s", [entries, tenant]
    )


def _rows(
    cast: Cast, asked: Sequence[Asked], first: int, entries: int
) -> Iterator[tuple[Any, ...]]:
    sequence = first
    for one, number in in_order(asked, entries - first):
        for step, said in enumerate(_steps(cast, one, number, sequence)):
            sequence += 1
            at = one.at + timedelta(seconds=step * 5, milliseconds=500 if step else 0)
            yield _row(cast.tenant.pk, sequence, at, said)


_Said = tuple[str, str, str, str, str, str, str]


def _steps(cast: Cast, one: Asked, number: int, turn: int) -> Iterator[_Said]:
    about, amount = f"query:{one.id}", {"epsilon": as_text(one.nano)} if one.nano else {}
    person = ("user", str(one.person), one.email)
    if one.state == "reused":
        yield (*person, Action.QUERY_REUSED, about, one.dataset, "{}")
    else:
        yield (*person, Action.QUERY_SUBMITTED, about, one.dataset, canonical_json(amount))
        worker, action = ("system", "worker", "worker"), _ENDINGS.get(one.state)
        detail = canonical_json({**amount, "release_sha256": "0" * 64})
        yield (*worker, action or Action.QUERY_VOIDED, about, one.dataset, detail)
    for n in range(number - (1 if one.state == "reused" else 2)):
        yield _other(cast, turn + n, one.dataset)


def _other(cast: Cast, turn: int, dataset: str) -> _Said:
    action, role, about = _OTHERS[turn % len(_OTHERS)]
    member = cast.people[role]
    if role == "analyst":
        people = (cast.analyst, *cast.colleagues)
        member = people[turn // len(_OTHERS) % len(people)]
    subject = f"dataset:{dataset}" if about else f"token:{turn}"
    who = ("user", str(member.user_id), member.user.email)
    return (*who, action, subject, dataset if about else "", canonical_json({"number": turn}))


def _row(tenant: UUID, sequence: int, at: datetime, said: _Said) -> tuple[Any, ...]:
    kind, actor, label, action, subject, dataset, detail = said
    parts = fragments(
        {
            "tenant_id": tenant,
            "actor_kind": kind,
            "actor_id": actor,
            "actor_label": label,
            "action": str(action),
            "subject": subject,
            "dataset": dataset,
            "detail": detail,
        }
    )
    leaf = leaf_hash(parts.line(at=iso(at), sequence=sequence))
    return (tenant, sequence, at, kind, actor, label, str(action), subject, dataset, detail, leaf)
