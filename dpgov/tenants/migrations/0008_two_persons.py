"""Since when somebody has their role, and what allowed an invitation.

Who became owner or officer before keeps it. Invitations to these roles that nobody accepted yet
end: a single administrator had sent them.
"""

from typing import Any, ClassVar

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import F

_TWO = ["owner", "officer"]


def carry_over(apps: Any, editor: Any) -> None:
    apps.get_model("tenants", "Membership").objects.update(role_since=F("created_at"))
    invitations = apps.get_model("tenants", "Invitation").objects.filter(role__in=_TWO)
    invitations.filter(accepted_at__isnull=False).update(consent="earlier")
    waiting = invitations.filter(accepted_at__isnull=True, ended_at__isnull=True)
    waiting.update(ended_at=django.utils.timezone.now())


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0007_auditors")]

    operations: ClassVar = [
        migrations.AddField(
            "invitation",
            "consent",
            models.CharField(blank=True, default="", max_length=36),
        ),
        migrations.AddField("invitation", "letters", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("invitation", "sent_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "membership",
            "role_since",
            models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AlterField(
            "invitation",
            "invited_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
    ]
