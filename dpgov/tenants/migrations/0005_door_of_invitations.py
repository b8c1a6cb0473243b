"""The door through row-level security that accepting an invitation needs."""

from typing import ClassVar

from django.db import migrations

from dpgov.tenants.wall.functions import door


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0004_invitations")]

    operations: ClassVar = [
        door(
            "dpgov_tenant_of_invitation(text)",
            returns="uuid",
            body="SELECT tenant_id FROM tenants_invitation WHERE token_hash = $1",
        ),
    ]
