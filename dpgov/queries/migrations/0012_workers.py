"""Workers tell whether they see the data files that questions wait for."""

import uuid
from typing import ClassVar

from django.db import migrations, models

from dpgov.tenants.wall.functions import door

_ASKED_FOR = """
    SELECT DISTINCT v.id, v.file_seal::text, f.key_id::text
    FROM queries_query q
    JOIN datasets_datasetversion v ON v.id = q.version_id
    LEFT JOIN datasets_versionfingerprint f ON f.version_id = v.id
    WHERE q.state IN ('queued', 'running') LIMIT 100
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("queries", "0011_turns"), ("datasets", "0012_file_seal")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("seen_at", models.DateTimeField()),
                ("ready", models.BooleanField()),
                ("lacks", models.JSONField(default=list)),
            ],
        ),
        door(
            "queries_versions_asked_for()",
            returns="TABLE (version_id uuid, file_seal text, key_id text)",
            body=_ASKED_FOR,
        ),
    ]
