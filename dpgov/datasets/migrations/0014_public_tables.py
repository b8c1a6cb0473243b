import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0012_audience"),
    ]

    operations = [
        migrations.AddField(
            model_name="datasetversion",
            name="joined",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="upload",
            name="joined",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="upload",
            name="public_for",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="public_tables",
                to="datasets.upload",
            ),
        ),
    ]
