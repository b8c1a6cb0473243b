"""Parts of the rows that a version added to those of the one before."""

from typing import ClassVar

from django.db import migrations, models

_KINDS = [
    ("rows", "Rows"),
    ("column", "Column"),
    ("new_rows", "Added rows"),
    ("new_col", "Column of added rows"),
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("datasets", "0016_doors_of_agreed")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="fingerprintpart",
            name="kind",
            field=models.CharField(choices=_KINDS, max_length=8),
        ),
    ]
