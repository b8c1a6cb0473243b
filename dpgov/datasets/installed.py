"""Gates of datasets: what comparing data, reading files in turn and clearing up need to see.

Across tenants only what officers of both agreed to compare is to be seen, and by name: parts that
have something in common with the given one, keyed as they are.
"""

from dpgov.audit.append_only import append_only
from dpgov.datasets.discarded import IS_DISCARDED
from dpgov.datasets.guards import guards
from dpgov.operation.installed import Installed
from dpgov.tenants.wall.functions import gate
from dpgov.tenants.wall.guards import installed_guards

_NEXT = """
SELECT a.id, a.tenant_id FROM datasets_arrival a
WHERE (a.state = 'waiting' OR (a.state = 'reading' AND a.lease_until < statement_timestamp()))
  AND a.attempts < $1
ORDER BY (SELECT max(b.taken_at) FROM datasets_arrival b WHERE b.tenant_id = a.tenant_id)
         NULLS FIRST, a.asked_at, a.id
LIMIT $2
"""
_TENANTS = """
SELECT DISTINCT tenant_id FROM datasets_arrival WHERE state IN ('waiting', 'reading')
"""
_AGREED = """
SELECT t.slug::text, t.name::text
FROM datasets_agreement ours
JOIN tenants_tenant here ON here.id = ours.tenant_id
JOIN tenants_tenant t ON t.slug = ours.other
JOIN datasets_agreement theirs ON theirs.tenant_id = t.id AND theirs.other = here.slug
WHERE ours.tenant_id = $1 AND ours.ended_at IS NULL AND theirs.ended_at IS NULL
  AND ours.given_by_id <> theirs.given_by_id
ORDER BY t.slug
"""
_ALIKE = f"""
WITH agreed AS (
    SELECT t.id, t.slug FROM tenants_tenant t
    WHERE t.slug IN (SELECT a.slug FROM datasets_agreed_with($1) a)
)
SELECT agreed.slug::text, f.id, f.whole::text,
       p.kind::text, p.total, p.digest::text, p.span, p.sketch, f.file::text
FROM agreed
JOIN datasets_versionfingerprint f ON f.tenant_id = agreed.id
JOIN datasets_datasetversion v ON v.id = f.version_id
JOIN datasets_dataset d ON d.id = v.dataset_id
JOIN datasets_fingerprintpart p ON p.fingerprint_id = f.id
WHERE NOT {IS_DISCARDED}
  AND (f.whole = $2 OR ($4 <> '' AND f.file = $4) OR f.id IN (
      SELECT mp.fingerprint_id FROM datasets_fingerprintmark m
      JOIN datasets_fingerprintpart mp ON mp.id = m.part_id
      WHERE m.mark = ANY ($3)))
ORDER BY f.id, p.id
"""  # noqa: S608
_LIVING = f"""
SELECT v.id FROM datasets_datasetversion v JOIN datasets_dataset d ON d.id = v.dataset_id
WHERE v.id = ANY ($1) AND v.data_deleted_at IS NULL AND d.data_deleted_at IS NULL
  AND NOT {IS_DISCARDED}
"""  # noqa: S608
# Whoever could be asked about a table, or whose people have a budget: none that was discarded. Who
# shares the budget, or a shared one, counts the same people once; they are found too if $3 is true.
_LIVE_MARKED = f"""
SELECT DISTINCT m.mark::text
FROM datasets_livemark m JOIN datasets_dataset d ON d.live_id = m.live_id
WHERE m.mark = ANY ($1) AND m.live_id <> $2
  AND NOT {IS_DISCARDED}
  AND ($3 OR NOT EXISTS (
      SELECT 1 FROM datasets_dataset o WHERE o.live_id = $2 AND (
          o.budget_id = d.budget_id OR EXISTS (
              SELECT 1 FROM budgets_sharedbudgetmember a
              JOIN budgets_sharedbudgetmember b ON b.shared_budget_id = a.shared_budget_id
              WHERE a.dataset_budget_id = o.budget_id AND a.left_at IS NULL
                AND b.dataset_budget_id = d.budget_id AND b.left_at IS NULL))))
"""  # noqa: S608


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        # Codes are stored as bounds were declared: with other bounds noise would be too small.
        append_only("datasets_column"),
        append_only("datasets_termsofuse"),
        append_only("datasets_acceptance"),
        append_only("datasets_derivedfrom"),
        gate(
            "datasets_versions_among(uuid[])",
            returns="SETOF uuid",
            body="SELECT id FROM datasets_datasetversion WHERE id = ANY ($1)",
        ),
        gate("datasets_living_among(uuid[])", returns="SETOF uuid", body=_LIVING),
        gate(
            "datasets_stored_among(text[])",
            returns="TABLE (name text, needed boolean)",
            body="SELECT s.name::text, bool_or(s.removed_at IS NULL) FROM datasets_storedfile s"
            " WHERE s.name = ANY ($1) GROUP BY s.name",
        ),
        gate(
            "datasets_kept_among(uuid[])",
            returns="SETOF uuid",
            body="SELECT id FROM datasets_storedfile WHERE id = ANY ($1) AND removed_at IS NULL",
        ),
        gate(
            "datasets_forget_stored(uuid)",
            returns="void",
            body="DELETE FROM datasets_storedfile"
            " WHERE id = $1 AND removed_at IS NOT NULL AND tenant_id = dpgov_tenant()",
            volatility="VOLATILE",
        ),
        gate(
            "datasets_waiting_uploads_among(uuid[])",
            returns="SETOF uuid",
            body="SELECT id FROM datasets_upload WHERE id = ANY ($1) AND state = 'ready'",
        ),
        gate(
            "datasets_next_arrivals(integer, integer)",
            returns="TABLE (id uuid, tenant uuid)",
            body=_NEXT,
        ),
        gate("datasets_tenants_with_arrivals()", returns="SETOF uuid", body=_TENANTS),
        gate(
            "datasets_live_marked(text[], uuid, boolean)",
            returns="SETOF text",
            body=_LIVE_MARKED,
        ),
        gate("datasets_agreed_with(uuid)", returns="TABLE (slug text, name text)", body=_AGREED),
        gate(
            "datasets_fingerprints_agreed(uuid, text, bigint[], text)",
            returns="TABLE (organisation text, fingerprint bigint, whole text, "
            "kind text, total bigint, digest text, span bigint, sketch bytea, file text)",
            body=_ALIKE,
        ),
        *installed_guards(guards),
    )
