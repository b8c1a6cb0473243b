"""Nobody became owner or officer by an invitation that one person alone had sent."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0008_two_persons")]

    operations: ClassVar = [
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                name="tenants_invitation_takes_two",
                condition=models.Q(accepted_at__isnull=True)
                | models.Q(role__in=["analyst", "admin"])
                | ~models.Q(consent=""),
            ),
        ),
    ]
