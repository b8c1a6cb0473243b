# Written by hand: what a generated column is made of cannot be altered.

from django.db import migrations, models

import dpgov.audit.amounts

_WITH_AN_AMOUNT = models.Q(("amount_nano__isnull", False))


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_archive"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="auditentry", name="audit_entry_amount"),
        migrations.RemoveField(model_name="auditentry", name="amount_nano"),
        migrations.AddField(
            model_name="auditentry",
            name="amount_nano",
            field=models.GeneratedField(
                db_persist=True,
                expression=dpgov.audit.amounts.AskedAmount("detail", "action"),
                output_field=models.BigIntegerField(null=True),
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                condition=_WITH_AN_AMOUNT,
                fields=["tenant_id", "-sequence", "amount_nano"],
                name="audit_entry_amount",
            ),
        ),
    ]
