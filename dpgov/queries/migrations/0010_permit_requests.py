"""Analysts may ask for a permit as well."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queries", "0009_sealed")]

    operations = [
        migrations.AlterField(
            model_name="budgetrequest",
            name="about",
            field=models.CharField(
                choices=[
                    ("allocation", "An allocation of my own, or a larger one"),
                    ("limit", "A higher limit of the dataset"),
                    ("permit", "A permit for larger questions"),
                ],
                max_length=12,
            ),
        ),
    ]
