"""Turns among tenants, lanes, what the sweep remembers; workers ask the database what is next."""

from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models import Q

from dpgov.tenants.wall.functions import door

# The same as `dpgov.queries.lease.free`; $1 is the most attempts.
_FREE = """
    q.state IN ('queued', 'running')
    AND (q.state = 'queued' OR q.lease_until < clock_timestamp())
    AND q.attempts < $1
    AND NOT EXISTS (
        SELECT 1 FROM datasets_dataset d JOIN budgets_budget b ON b.id = d.budget_id
        WHERE d.id = q.dataset_id AND (b.frozen_at IS NOT NULL OR d.held_at IS NOT NULL)
    )
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


def _forget_a_door(apps: Any, schema_editor: Any) -> None:
    """A message names no query any more."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION IF EXISTS queries_tenant_of(uuid)", params=None)


def _add(name: str, field: models.Field) -> migrations.AddField:
    return migrations.AddField(model_name="query", name=name, field=field)


def _index(name: str, fields: list[str], condition: Q) -> migrations.AddIndex:
    index = models.Index(fields=fields, condition=condition, name=name)
    return migrations.AddIndex(model_name="query", index=index)


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("queries", "0010_permit_requests"),
        ("datasets", "0004_doors"),
        ("tenants", "0003_doors"),
    ]

    operations: ClassVar = [
        _add("heavy", models.BooleanField(default=False)),
        _add("turn", models.PositiveBigIntegerField(default=0)),
        _add("sends", models.PositiveSmallIntegerField(default=0)),
        _add("send_after", models.DateTimeField(null=True)),
        _add("request_id", models.CharField(blank=True, max_length=64)),
        _index(
            "queries_waiting_of_tenant",
            ["tenant", "submitted_at"],
            Q(state__in=["queued", "running"]),
        ),
        _index("queries_turns", ["turn"], Q(turn__gt=0)),
        _index("queries_turns_of_tenant", ["tenant", "turn"], Q(turn__gt=0)),
        door(
            "queries_next(integer, boolean, uuid[])",
            returns="TABLE (tenant_id uuid, query_id uuid, turn bigint)",
            body=_NEXT,
            language="plpgsql",
            volatility="VOLATILE",
        ),
        door(
            "queries_waiting(integer)",
            returns="TABLE (heavy boolean, number bigint, oldest timestamptz)",
            body=_WAITING,
            volatility="VOLATILE",
        ),
        migrations.RunPython(_forget_a_door, migrations.RunPython.noop),
    ]
