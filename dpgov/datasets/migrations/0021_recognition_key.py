"""The name of the secret that data is recognised by: that of the oldest data there is."""

from django.db import migrations, models

_OF_THE_OLDEST = """
INSERT INTO datasets_recognitionkey (id, name)
SELECT 1, key_id FROM datasets_versionfingerprint ORDER BY id LIMIT 1
"""


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0020_datasets_by_name"),
    ]

    operations = [
        migrations.CreateModel(
            name="RecognitionKey",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(
                        default=1, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=16)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="datasets_one_recognition_key"
                    )
                ],
            },
        ),
        migrations.RunSQL(_OF_THE_OLDEST, migrations.RunSQL.noop),
    ]
