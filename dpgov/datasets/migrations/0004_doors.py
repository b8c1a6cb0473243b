"""The ways through row-level security that comparing data and clearing up need.

Fingerprints are given away only in parts that have something in common with the given one, keyed
as they are, and whose they are only to their own tenant.
"""

from typing import ClassVar

from django.db import migrations

from dpgov.tenants.wall.functions import door

_ALIKE = """
SELECT f.id, CASE WHEN f.tenant_id = $1 THEN d.id END, f.whole::text,
       p.kind::text, p.total, p.digest::text, p.span, p.sketch
FROM datasets_versionfingerprint f
JOIN datasets_datasetversion v ON v.id = f.version_id
JOIN datasets_dataset d ON d.id = v.dataset_id
LEFT JOIN datasets_fingerprintpart p ON p.fingerprint_id = f.id
     AND p.id IN (SELECT m.part_id FROM datasets_fingerprintmark m WHERE m.mark = ANY ($3))
WHERE (f.whole = $2 OR p.id IS NOT NULL)
  AND NOT (d.held_at IS NOT NULL AND d.archived_at IS NOT NULL)
ORDER BY f.id, p.id
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("datasets", "0003_fingerprints"),
        ("tenants", "0003_doors"),
    ]

    operations: ClassVar = [
        door(
            "datasets_fingerprints_like(uuid, text, bigint[])",
            returns="TABLE (fingerprint bigint, own_dataset uuid, whole text, "
            "kind text, total bigint, digest text, span bigint, sketch bytea)",
            body=_ALIKE,
        ),
        door(
            "datasets_versions_among(uuid[])",
            returns="SETOF uuid",
            body="SELECT id FROM datasets_datasetversion WHERE id = ANY ($1)",
        ),
        door(
            "datasets_waiting_uploads_among(uuid[])",
            returns="SETOF uuid",
            body="SELECT id FROM datasets_upload WHERE id = ANY ($1) AND state = 'ready'",
        ),
    ]
