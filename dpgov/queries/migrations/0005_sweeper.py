from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queries", "0004_approvals_of_one_question")]

    operations = [
        migrations.CreateModel(
            name="Sweeper",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(
                        default=1, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                ("started_at", models.DateTimeField()),
                ("at", models.DateTimeField()),
                ("rounds", models.PositiveBigIntegerField()),
                ("sent", models.PositiveBigIntegerField()),
                ("given_up", models.PositiveBigIntegerField()),
                ("broken_off", models.PositiveBigIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(id=1), name="queries_one_sweeper")
                ],
            },
        ),
    ]
