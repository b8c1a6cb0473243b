"""Versions and columns name their tenant; datasets can be held, partitioned, allocation-only."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery


def _fill_tenants(apps, schema_editor):
    dataset, version, column = (
        apps.get_model("datasets", name) for name in ("Dataset", "DatasetVersion", "Column")
    )
    of_dataset = dataset.objects.filter(pk=OuterRef("dataset")).values("tenant")
    version.objects.update(tenant=Subquery(of_dataset))
    of_version = version.objects.filter(pk=OuterRef("version")).values("tenant")
    column.objects.update(tenant=Subquery(of_version))


def _tenant(**options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to="tenants.tenant",
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [("datasets", "0001_initial"), ("tenants", "0001_initial")]

    operations = [
        migrations.AddField("datasetversion", "tenant", _tenant(null=True)),
        migrations.AddField("column", "tenant", _tenant(null=True)),
        migrations.RunPython(_fill_tenants, migrations.RunPython.noop),
        migrations.AlterField("datasetversion", "tenant", _tenant()),
        migrations.AlterField("column", "tenant", _tenant()),
        migrations.AddField("dataset", "held_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "dataset",
            "held_reason",
            models.CharField(
                blank=True,
                choices=[("like_earlier_data", "Held for a compliance check")],
                default="",
                max_length=32,
            ),
            preserve_default=False,
        ),
        migrations.AddField("dataset", "needs_allocation", models.BooleanField(default=False)),
        migrations.AddField(
            "dataset",
            "partition_column",
            models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "dataset",
            models.CheckConstraint(
                condition=Q(held_at__isnull=True, held_reason="")
                | (Q(held_at__isnull=False) & ~Q(held_reason="")),
                name="datasets_held_for_a_reason",
            ),
        ),
    ]
