"""Who leaves a project keeps a row that says so: what they had a part in still limits them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0003_second_roles"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="projectmember",
            name="tenants_once_per_project",
        ),
        migrations.AddField(
            model_name="projectmember",
            name="ended_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="projectmember",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="places",
                to="tenants.project",
            ),
        ),
        migrations.AddConstraint(
            model_name="projectmember",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("project", "user"),
                name="tenants_once_per_project",
            ),
        ),
    ]
