"""What questions need in the database: releases that only grow, gates for worker and sweeper."""

from collections.abc import Iterator

from dpgov.audit.append_only import append_only
from dpgov.operation.installed import Installed
from dpgov.queries.guards import WITH_PARENTS, analyst_since, guards_of_approvals
from dpgov.tenants.wall.functions import gate
from dpgov.tenants.wall.guards import NEVER, Guard, Json, installed_guards

_STOPS = "b.frozen_at IS NOT NULL OR d.held_at IS NOT NULL OR d.paused_at IS NOT NULL"
GOES_ON = f"""
    NOT EXISTS (
        SELECT 1 FROM datasets_dataset d JOIN budgets_budget b ON b.id = d.budget_id
        WHERE d.id = q.dataset_id AND ({_STOPS})
    )
    AND NOT EXISTS (
        SELECT 1 FROM datasets_derivedfrom f JOIN datasets_dataset d ON d.id = f.parent_id
        JOIN budgets_budget b ON b.id = d.budget_id
        WHERE f.dataset_id = q.dataset_id AND ({_STOPS})
    )
"""  # noqa: S608 - our own texts
"""Of a question `q`: no dataset that it is about is frozen, held or paused."""
# The same as `dpgov.queries.answering.lease.free`; $1 is the most attempts.
_FREE = f"""
    q.state IN ('queued', 'running')
    AND (q.state = 'queued' OR q.lease_until < clock_timestamp())
    AND q.attempts < $1
    AND {GOES_ON}
"""
_TAKEN_BY_THIS_WORKER = f"""
    {_FREE} AND NOT ($2 AND q.heavy) AND NOT (q.version_id = ANY ($3))
"""
_NEXT = f"""
DECLARE
    whose uuid;
    which uuid;
BEGIN
    FOR whose IN
        SELECT t.id
        FROM tenants_tenant t
        CROSS JOIN LATERAL (
            SELECT q.submitted_at FROM queries_query q
            WHERE q.tenant_id = t.id AND {_TAKEN_BY_THIS_WORKER}
            ORDER BY q.submitted_at LIMIT 1
        ) oldest
        ORDER BY
            (SELECT count(*) FROM queries_query w WHERE w.tenant_id = t.id
                AND w.state = 'running' AND w.lease_until >= clock_timestamp()),
            (SELECT coalesce(max(l.turn), 0) FROM queries_query l
                WHERE l.tenant_id = t.id AND l.turn > 0),
            oldest.submitted_at
    LOOP
        SELECT q.id INTO which FROM queries_query q
        WHERE q.tenant_id = whose AND {_TAKEN_BY_THIS_WORKER}
        ORDER BY q.submitted_at LIMIT 1 FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            RETURN QUERY SELECT whose, which,
                (SELECT coalesce(max(l.turn), 0) + 1 FROM queries_query l WHERE l.turn > 0);
            RETURN;
        END IF;
    END LOOP;
END
"""  # noqa: S608
_WAITING = f"""
    SELECT q.heavy, count(*), min(q.submitted_at) FROM queries_query q WHERE {_FREE} GROUP BY 1
"""  # noqa: S608
_ASKED_FOR = """
    SELECT DISTINCT v.id, v.file_seal::text, f.key_id::text
    FROM queries_query q
    JOIN datasets_datasetversion v ON v.id = q.version_id
    LEFT JOIN datasets_versionfingerprint f ON f.version_id = v.id
    WHERE q.state IN ('queued', 'running') LIMIT 100
"""


_NOT_PAUSED = (
    f"NOT EXISTS (SELECT 1 FROM datasets_dataset d WHERE d.id IN {WITH_PARENTS}"  # noqa: S608
    " AND d.paused_at IS NOT NULL)"
)

_NOT_FROZEN = (
    "NOT EXISTS (SELECT 1 FROM datasets_dataset d JOIN budgets_budget b ON b.id = d.budget_id"  # noqa: S608
    f" WHERE d.id IN {WITH_PARENTS} AND b.frozen_at IS NOT NULL)"
)

# In force is the newest version of the terms of use, and it asks for something if it has text.
_TERMS_ACCEPTED = (
    "NOT EXISTS (SELECT 1 FROM datasets_termsofuse t"  # noqa: S608
    f" WHERE t.dataset_id IN {WITH_PARENTS}"
    " AND t.text <> '' AND NOT EXISTS (SELECT 1 FROM datasets_termsofuse n"
    " WHERE n.dataset_id = t.dataset_id AND n.number > t.number)"
    " AND NOT EXISTS (SELECT 1 FROM datasets_acceptance a"
    " WHERE a.terms_id = t.id AND a.accepted_by_id = NEW.analyst_id))"
)

# The same as `dpgov.datasets.audience`: an owner who is no analyst counts rows of people.
_IN_AUDIENCE = f"""
    NOT EXISTS (
        SELECT 1 FROM datasets_dataset d
        WHERE d.id IN {WITH_PARENTS} AND d.named_only AND NOT EXISTS (
            SELECT 1 FROM tenants_membership m
            WHERE m.tenant_id = NEW.tenant_id AND m.user_id = NEW.analyst_id AND (
                (m.role = 'owner' AND m.second_role = '')
                OR EXISTS (
                    SELECT 1 FROM datasets_viewer v
                    WHERE v.dataset_id = d.id AND v.membership_id = m.id
                    AND v.named_by_id <> m.user_id AND {analyst_since("v.named_at")}
                )
            )
        )
    )
"""  # noqa: S608


def guards(_json: Json) -> Iterator[Guard]:
    """A question stays with the data that it was asked about, and a stop holds for everybody."""
    yield Guard(
        "guard_question_new",
        "queries_query",
        "INSERT",
        "1 = 1",
        "EXISTS (SELECT 1 FROM datasets_datasetversion v WHERE v.id = NEW.version_id"
        " AND v.dataset_id = NEW.dataset_id)",
        "a question is about data of the dataset that it is charged to",
    )
    yield Guard(
        "guard_question_stays",
        "queries_query",
        "UPDATE",
        "NEW.version_id <> OLD.version_id OR NEW.dataset_id <> OLD.dataset_id",
        NEVER,
        "a question stays with the data that it was asked about",
    )
    yield Guard(
        "guard_question_not_paused",
        "queries_query",
        "INSERT",
        "1 = 1",
        _NOT_PAUSED,
        "a paused dataset takes no question",
    )
    yield Guard(
        "guard_question_terms",
        "queries_query",
        "INSERT",
        "1 = 1",
        _TERMS_ACCEPTED,
        "who asks has accepted the terms of use in force",
    )
    yield Guard(
        "guard_question_in_audience",
        "queries_query",
        "INSERT",
        "1 = 1",
        _IN_AUDIENCE,
        "who asks about a named-only dataset is named by another owner",
    )
    yield Guard(
        "guard_opening_not_paused",
        "queries_query",
        "UPDATE",
        "OLD.opened_at IS NULL AND NEW.opened_at IS NOT NULL",
        _NOT_PAUSED,
        "the data of a paused dataset stays closed",
    )
    yield Guard(
        "guard_sealing",
        "queries_query",
        "UPDATE",
        "OLD.state <> 'sealed' AND NEW.state = 'sealed'",
        _NOT_FROZEN,
        "nothing is answered about a frozen dataset",
    )


_PUBLISHED = (
    "EXISTS (SELECT 1 FROM queries_readymade r WHERE r.id = NEW.ready_made_id"
    " AND r.dataset_id = NEW.dataset_id AND r.withdrawn_at IS NULL"
    " AND r.published_by_id <> NEW.analyst_id)"
)
_MAY_BE_ANYTHING = (
    f"NOT EXISTS (SELECT 1 FROM datasets_policy p WHERE p.dataset_id IN {WITH_PARENTS}"  # noqa: S608
    " AND p.only_ready_made)"
)
_CHANGED = " OR ".join(
    f"NEW.{column} <> OLD.{column}"
    for column in ("dataset_id", "name", "purpose", "plan", "parameters", "cost_nano")
)
_QUOTA_CHANGED = " OR ".join(
    f"coalesce(NEW.{column}, 0) <> coalesce(OLD.{column}, 0)"
    for column in ("per_analyst", "altogether")
)


def guards_of_ready_made(_json: Json) -> Iterator[Guard]:
    """What an owner published stays as it was; where nothing else may be asked, nothing else is."""
    yield Guard(
        "guard_question_published",
        "queries_query",
        "INSERT",
        "NEW.ready_made_id IS NOT NULL",
        _PUBLISHED,
        "a ready-made question is asked as long as it is published, of its own dataset, by others",
    )
    yield Guard(
        "guard_question_ready_made",
        "queries_query",
        "INSERT",
        "NEW.ready_made_id IS NULL",
        _MAY_BE_ANYTHING,
        "nothing but ready-made questions is asked of this dataset",
    )
    yield Guard(
        "guard_ready_made_stays",
        "queries_readymade",
        "UPDATE",
        f"{_CHANGED} OR {_QUOTA_CHANGED}"
        " OR (OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS NULL)",
        NEVER,
        "a ready-made question is withdrawn, never changed",
    )


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        append_only("queries_release"),
        gate(
            "queries_unfinished_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query"
            " WHERE state IN ('queued', 'running')",
        ),
        gate(
            "queries_counts()",
            returns="TABLE (state text, number bigint, oldest timestamptz)",
            body="SELECT state::text, count(*), min(submitted_at) FROM queries_query GROUP BY 1",
        ),
        gate(
            "queries_uncounted_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query"
            " WHERE NOT counted AND state NOT IN ('queued', 'running')",
        ),
        gate(
            "queries_sealed_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query WHERE state = 'sealed'",
        ),
        gate(
            "queries_next(integer, boolean, uuid[])",
            returns="TABLE (tenant_id uuid, query_id uuid, turn bigint)",
            body=_NEXT,
            language="plpgsql",
            volatility="VOLATILE",
        ),
        gate(
            "queries_waiting(integer)",
            returns="TABLE (heavy boolean, number bigint, oldest timestamptz)",
            body=_WAITING,
            volatility="VOLATILE",
        ),
        gate(
            "queries_versions_asked_for()",
            returns="TABLE (version_id uuid, file_seal text, key_id text)",
            body=_ASKED_FOR,
        ),
        *installed_guards(guards),
        *installed_guards(guards_of_ready_made),
        *installed_guards(guards_of_approvals),
    )
