"""What happened before there were notices is told to nobody: cursors start at the log's end."""

from typing import Any, ClassVar

from django.db import migrations


def from_now_on(apps: Any, editor: Any) -> None:
    cursors = apps.get_model("notices", "Cursor")
    heads = dict(apps.get_model("audit", "AuditHead").objects.values_list("tenant_id", "sequence"))
    for tenant in apps.get_model("tenants", "Tenant").objects.all():
        cursors.objects.create(tenant=tenant, sequence=heads.get(tenant.pk, 0))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("notices", "0001_initial"), ("audit", "0004_fewer_indexes")]

    operations: ClassVar = [migrations.RunPython(from_now_on, migrations.RunPython.noop)]
