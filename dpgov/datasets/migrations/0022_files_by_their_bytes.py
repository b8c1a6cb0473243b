"""The keyed hash of the file of a version; of what was registered before it is not known."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0021_recognition_key"),
    ]

    operations = [
        migrations.AddField(
            model_name="versionfingerprint",
            name="file",
            field=models.CharField(blank=True, db_index=True, default="", max_length=32),
        ),
    ]
