"""What a question cost, read off its entry by the database, with an index: for searching."""

from typing import ClassVar

import django.db.models
from django.db import migrations

from dpgov.audit.amounts import StatedAmount
from dpgov.audit.append_only import append_only, protect, unprotect


class Migration(migrations.Migration):
    dependencies: ClassVar = [("audit", "0004_fewer_indexes")]

    operations: ClassVar = [
        # SQLite makes the table anew and loses its triggers; they are put up again at the end.
        migrations.RunPython(unprotect("audit_auditentry"), protect("audit_auditentry")),
        migrations.AddField(
            "auditentry",
            "amount_nano",
            django.db.models.GeneratedField(
                db_persist=True,
                expression=StatedAmount("detail", "action"),
                output_field=django.db.models.BigIntegerField(null=True),
            ),
        ),
        migrations.AddIndex(
            "auditentry",
            django.db.models.Index(
                condition=django.db.models.Q(amount_nano__isnull=False),
                fields=["tenant_id", "-sequence", "amount_nano"],
                name="audit_entry_amount",
            ),
        ),
        append_only("audit_auditentry"),
    ]
