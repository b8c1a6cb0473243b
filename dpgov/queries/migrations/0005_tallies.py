"""Sums of questions that the sweeper keeps up, and the kind of each question."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from dpgov.queries.kinds import kind_of
from dpgov.tenants.wall.functions import door


def _name_kinds(apps: Any, schema_editor: Any) -> None:
    queries = apps.get_model("queries", "Query").objects
    batch = []
    for query in queries.filter(kind="").only("pk", "plan").iterator(chunk_size=2_000):
        query.kind = kind_of(query.plan)
        batch.append(query)
        if len(batch) == 2_000:
            queries.bulk_update(batch, ["kind"])
            batch = []
    queries.bulk_update(batch, ["kind"])


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0004_doors"),
        ("queries", "0004_never_read"),
        ("tenants", "0003_doors"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DayTally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("nano", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(blank=True, max_length=200)),
                ("nano", models.BigIntegerField()),
            ],
        ),
        migrations.AddField(
            model_name="query",
            name="counted",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="query",
            name="kind",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                fields=["dataset", "analyst", "-submitted_at"],
                name="queries_que_dataset_5454a7_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                fields=["tenant", "state", "-submitted_at"], name="queries_que_tenant__aa8d9f_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                fields=["tenant", "-visible_at"], name="queries_que_tenant__0d0b72_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                condition=models.Q(("counted", False)),
                fields=["dataset"],
                name="queries_not_counted",
            ),
        ),
        migrations.AddField(
            model_name="daytally",
            name="dataset",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="datasets.dataset"
            ),
        ),
        migrations.AddField(
            model_name="daytally",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="tally",
            name="analyst",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="tally",
            name="dataset",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="datasets.dataset"
            ),
        ),
        migrations.AddField(
            model_name="tally",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddConstraint(
            model_name="daytally",
            constraint=models.UniqueConstraint(
                fields=("dataset", "day"), name="queries_one_day_tally"
            ),
        ),
        migrations.AddConstraint(
            model_name="tally",
            constraint=models.UniqueConstraint(
                fields=("dataset", "analyst", "kind"), name="queries_one_tally"
            ),
        ),
        migrations.RunPython(_name_kinds, migrations.RunPython.noop),
        door(
            "queries_uncounted_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query"
            " WHERE NOT counted AND state NOT IN ('queued', 'running')",
        ),
    ]
