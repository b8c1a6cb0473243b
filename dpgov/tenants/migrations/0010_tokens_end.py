"""API tokens end: by their age, and with the password that their person had.

Tokens that are there already keep working for ninety days.
"""

import hashlib
from datetime import timedelta
from typing import Any, ClassVar

from django.db import migrations, models
from django.utils import timezone


def mark(apps: Any, editor: Any) -> None:
    for token in apps.get_model("tenants", "ApiToken").objects.select_related("user"):
        token.password_mark = hashlib.sha256(token.user.password.encode()).hexdigest()
        token.expiry = token.expiry or timezone.now() + timedelta(days=90)
        token.save(update_fields=["password_mark", "expiry"])


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0009_two_persons_by_constraint")]

    operations: ClassVar = [
        migrations.AddField(
            "apitoken",
            "password_mark",
            models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField("apitoken", "used_at", models.DateTimeField(null=True)),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
