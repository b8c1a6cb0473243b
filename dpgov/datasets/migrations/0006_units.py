"""A column may name the privacy unit; how many of its rows are used goes with each version."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies: ClassVar = [("datasets", "0005_promises")]

    operations: ClassVar = [
        migrations.AddField(
            "dataset", "public_units", models.PositiveBigIntegerField(blank=True, null=True)
        ),
        migrations.AddField(
            "datasetversion", "max_rows_per_unit", models.PositiveIntegerField(default=1)
        ),
        migrations.AddField(
            "datasetversion",
            "max_groups_per_unit",
            models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            "dataset",
            models.CheckConstraint(
                name="datasets_unit_has_its_column",
                condition=Q(unit="row", private_id="", max_rows_per_unit=1)
                | (Q(unit="person") & ~Q(private_id="")),
            ),
        ),
    ]
