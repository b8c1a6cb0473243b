"""The doors through row-level security that the worker, the sweep and the metrics need."""

from typing import ClassVar

from django.db import migrations

from dpgov.tenants.wall.functions import door


class Migration(migrations.Migration):
    dependencies: ClassVar = [("queries", "0002_append_only"), ("tenants", "0003_doors")]

    operations: ClassVar = [
        door(
            "queries_tenant_of(uuid)",
            returns="uuid",
            body="SELECT tenant_id FROM queries_query WHERE id = $1",
        ),
        door(
            "queries_unfinished_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query"
            " WHERE state IN ('queued', 'running')",
        ),
        door(
            "queries_counts()",
            returns="TABLE (state text, number bigint, oldest timestamptz)",
            body="SELECT state::text, count(*), min(submitted_at) FROM queries_query GROUP BY 1",
        ),
    ]
