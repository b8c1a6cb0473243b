from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0009_computed_columns"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="policy", name="datasets_policy_is_positive"),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=(Q(approval_above_nano__isnull=True) | Q(approval_above_nano__gte=0))
                & (Q(least_nano__isnull=True) | Q(least_nano__gt=0))
                & (Q(least_error__isnull=True) | Q(least_error__gt=0)),
                name="datasets_policy_is_positive",
            ),
        ),
    ]
