"""The data files of an archived dataset may be deleted."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("datasets", "0010_least_price")]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="data_deleted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.CheckConstraint(
                name="datasets_deleted_after_archived",
                condition=Q(data_deleted_at__isnull=True) | Q(archived_at__isnull=False),
            ),
        ),
    ]
