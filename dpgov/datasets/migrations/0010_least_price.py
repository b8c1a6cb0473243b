"""An owner may raise the least price of a question."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies: ClassVar = [("datasets", "0009_arrivals")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="policy",
            name="least_nano",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.RemoveConstraint(model_name="policy", name="datasets_policy_is_positive"),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                name="datasets_policy_is_positive",
                condition=(Q(approval_above_nano__isnull=True) | Q(approval_above_nano__gt=0))
                & (Q(least_nano__isnull=True) | Q(least_nano__gt=0))
                & (Q(least_error__isnull=True) | Q(least_error__gt=0)),
            ),
        ),
    ]
