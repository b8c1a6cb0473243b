from typing import ClassVar

from django.db import migrations

from dpgov.audit.append_only import append_only


class Migration(migrations.Migration):
    dependencies: ClassVar = [("audit", "0001_initial")]

    operations: ClassVar = [
        append_only("audit_auditentry"),
    ]
