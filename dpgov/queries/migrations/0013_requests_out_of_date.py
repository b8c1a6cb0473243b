"""A request for budget of somebody who was removed meanwhile ends as out of date."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("queries", "0012_workers")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="budgetrequest",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "Waiting"),
                    ("granted", "Granted"),
                    ("passed_on", "Passed on to a compliance officer"),
                    ("declined", "Declined"),
                    ("withdrawn", "Withdrawn"),
                    ("stale", "Out of date"),
                ],
                default="waiting",
                max_length=12,
            ),
        ),
    ]
