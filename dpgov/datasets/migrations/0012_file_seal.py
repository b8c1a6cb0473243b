"""What a worker holds a data file against; empty for versions of old."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("datasets", "0011_data_deleted")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="datasetversion",
            name="file_seal",
            field=models.CharField(blank=True, max_length=32),
        ),
    ]
