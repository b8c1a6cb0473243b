"""From a chain of hashes to a hash tree: each entry keeps its own leaf hash."""

from typing import ClassVar

from django.db import migrations, models

from dpgov.audit.append_function import append_function
from dpgov.audit.append_only import append_only, protect, unprotect
from dpgov.audit.entry import FACT_NAMES, leaf_hash, line_of

_BATCH = 2_000


def _hash_existing_entries(apps, schema_editor):
    entries = apps.get_model("audit", "AuditEntry").objects
    after = 0
    while batch := list(entries.filter(pk__gt=after).order_by("pk")[:_BATCH]):
        for entry in batch:
            values = {name: getattr(entry, name) for name in FACT_NAMES}
            entry.leaf_hash = leaf_hash(line_of(values))
        entries.bulk_update(batch, ["leaf_hash"])
        after = batch[-1].pk


def _id():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("audit", "0002_append_only")]

    operations: ClassVar = [
        migrations.RunPython(unprotect("audit_auditentry"), protect("audit_auditentry")),
        migrations.AddField(
            "auditentry", "leaf_hash", models.BinaryField(max_length=32, null=True)
        ),
        migrations.RunPython(_hash_existing_entries, migrations.RunPython.noop),
        migrations.AlterField("auditentry", "leaf_hash", models.BinaryField(max_length=32)),
        migrations.RemoveField("auditentry", "previous_hash"),
        migrations.RemoveField("auditentry", "entry_hash"),
        migrations.RemoveField("audithead", "entry_hash"),
        append_only("audit_auditentry"),
        append_function(),
        migrations.CreateModel(
            "AuditSubtree",
            [
                ("id", _id()),
                ("tenant_id", models.UUIDField()),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.PositiveBigIntegerField()),
                ("hash", models.BinaryField(max_length=32)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["tenant_id", "level", "index"], name="audit_subtree_place"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            "AuditCheckpoint",
            [
                ("id", _id()),
                ("tenant_id", models.UUIDField()),
                ("size", models.PositiveBigIntegerField()),
                ("root", models.BinaryField(max_length=32)),
                ("note", models.TextField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["tenant_id", "size"], name="audit_checkpoint_size"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            "AuditKey",
            [
                ("id", _id()),
                ("tenant_id", models.UUIDField()),
                ("public_key", models.CharField(max_length=500)),
                ("since_size", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["tenant_id", "public_key"], name="audit_key_once"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            "AuditDelivery",
            [
                ("id", _id()),
                ("tenant_id", models.UUIDField()),
                ("size", models.PositiveBigIntegerField()),
                ("destination", models.CharField(max_length=16)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField()),
                ("problem", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(delivered_at__isnull=True),
                        fields=["tenant_id", "next_attempt_at"],
                        name="audit_delivery_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["tenant_id", "size", "destination"], name="audit_delivery_once"
                    )
                ],
            },
        ),
        append_only("audit_auditsubtree"),
        append_only("audit_auditcheckpoint"),
        append_only("audit_auditkey"),
    ]
