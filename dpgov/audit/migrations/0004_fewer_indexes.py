"""Filters need an index for what is rare; every entry pays for each that it is in."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("audit", "0003_hash_tree")]

    operations: ClassVar = [
        migrations.RemoveIndex("auditentry", "audit_audit_tenant__a417a9_idx"),
        migrations.RemoveIndex("auditentry", "audit_audit_tenant__4ce6d4_idx"),
        migrations.AddIndex(
            "auditentry",
            models.Index(
                condition=~models.Q(action__in=("QUERY_SUBMITTED", "QUERY_RELEASED")),
                fields=["tenant_id", "action", "-sequence"],
                name="audit_entry_rare_action",
            ),
        ),
        migrations.AddIndex(
            "auditentry",
            models.Index(
                condition=~models.Q(actor_label__in=("worker",)),
                fields=["tenant_id", "actor_label", "-sequence"],
                name="audit_entry_person",
            ),
        ),
    ]
