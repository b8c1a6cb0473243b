"""Several limits at once: allocations, partition lines, populations, rates, corrections."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0002_append_only"),
        ("tenants", "0002_projects"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Allocation",
            fields=[
                (
                    "budget",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="allocation",
                        serialize=False,
                        to="budgets.budget",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BudgetAccess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("carried_over", "Carried over"),
                            ("refund", "Refund"),
                            ("after_restore", "Booked after a restore"),
                        ],
                        max_length=16,
                    ),
                ),
                ("amount_nano", models.BigIntegerField()),
                ("spent_after_nano", models.BigIntegerField()),
                ("query_id", models.UUIDField(null=True)),
                ("reason", models.CharField(max_length=500)),
            ],
        ),
        migrations.CreateModel(
            name="DatabaseMark",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("identity", models.CharField(max_length=100)),
            ],
        ),
        migrations.CreateModel(
            name="PartitionLine",
            fields=[
                (
                    "budget",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="partition_line",
                        serialize=False,
                        to="budgets.budget",
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("part", models.CharField(max_length=200)),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="PopulationInvitation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("code_hash", models.CharField(max_length=64, unique=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="PopulationMember",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("left_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="RateLimit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "period",
                    models.CharField(
                        choices=[("day", "a day"), ("week", "a week"), ("month", "a month")],
                        max_length=8,
                    ),
                ),
                ("limit_nano", models.BigIntegerField()),
                ("window_start", models.DateField()),
                ("taken_nano", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="RestoreMark",
            fields=[
                (
                    "tenant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenants.tenant",
                    ),
                ),
                ("outside_size", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.RemoveIndex(
            model_name="reservation",
            name="budgets_res_budget__0107ef_idx",
        ),
        migrations.AddField(
            model_name="budget",
            name="closed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="budget",
            name="frozen_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="budget",
            name="frozen_reason",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name="charge",
            name="spent_after_nano",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="charge",
            name="tenant",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddField(
            model_name="limitchange",
            name="tenant",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddField(
            model_name="reservation",
            name="factor",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="reservation",
            name="tenant",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddIndex(
            model_name="limitchange",
            index=models.Index(
                models.F("budget"),
                models.OrderBy(models.F("id"), descending=True),
                name="budgets_limit_now",
            ),
        ),
        migrations.AddIndex(
            model_name="reservation",
            index=models.Index(
                fields=["budget", "created_at"], name="budgets_res_budget__44a309_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="reservation",
            index=models.Index(
                condition=models.Q(("state", "held")),
                fields=["budget"],
                name="budgets_held_of_budget",
            ),
        ),
        migrations.AddConstraint(
            model_name="reservation",
            constraint=models.CheckConstraint(
                condition=models.Q(("factor__gte", 1)), name="budgets_factor_is_positive"
            ),
        ),
        migrations.AddField(
            model_name="allocation",
            name="dataset_budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="allocations",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="allocation",
            name="project",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="allocations",
                to="tenants.project",
            ),
        ),
        migrations.AddField(
            model_name="allocation",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="allocation",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="allocations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="budgetaccess",
            name="budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="access",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="budgetaccess",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="correction",
            name="budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="corrections",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="correction",
            name="source",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="correction",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddConstraint(
            model_name="databasemark",
            constraint=models.CheckConstraint(
                condition=models.Q(("id", 1)), name="budgets_one_mark"
            ),
        ),
        migrations.AddField(
            model_name="partitionline",
            name="dataset_budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="parts",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="partitionline",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="populationinvitation",
            name="population",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="invitations",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="populationinvitation",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="populationmember",
            name="dataset_budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="populations",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="populationmember",
            name="population",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="members",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="populationmember",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="ratelimit",
            name="budget",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rate_limits",
                to="budgets.budget",
            ),
        ),
        migrations.AddField(
            model_name="ratelimit",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddConstraint(
            model_name="allocation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("project__isnull", True), ("user__isnull", False)),
                    models.Q(("project__isnull", False), ("user__isnull", True)),
                    _connector="OR",
                ),
                name="budgets_allocation_has_one_holder",
            ),
        ),
        migrations.AddConstraint(
            model_name="allocation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("user__isnull", False)),
                fields=("dataset_budget", "user"),
                name="budgets_one_allocation_per_user",
            ),
        ),
        migrations.AddConstraint(
            model_name="allocation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("project__isnull", False)),
                fields=("dataset_budget", "project"),
                name="budgets_one_allocation_per_project",
            ),
        ),
        migrations.AddConstraint(
            model_name="budgetaccess",
            constraint=models.UniqueConstraint(
                fields=("budget", "tenant"), name="budgets_one_access"
            ),
        ),
        migrations.AddIndex(
            model_name="correction",
            index=models.Index(
                fields=["budget", "created_at"], name="budgets_cor_budget__1a6616_idx"
            ),
        ),
        migrations.AddConstraint(
            model_name="correction",
            constraint=models.UniqueConstraint(
                condition=models.Q(("query_id__isnull", False)),
                fields=("query_id", "budget"),
                name="budgets_one_refund_per_query",
            ),
        ),
        migrations.AddConstraint(
            model_name="correction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("amount_nano__lt", 0), ("kind", "refund"), ("query_id__isnull", False)
                    ),
                    models.Q(
                        models.Q(("kind", "refund"), _negated=True),
                        ("amount_nano__gt", 0),
                        ("query_id__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="budgets_correction_has_a_sign",
            ),
        ),
        migrations.AddConstraint(
            model_name="partitionline",
            constraint=models.UniqueConstraint(
                fields=("dataset_budget", "part"), name="budgets_one_line"
            ),
        ),
        migrations.AddConstraint(
            model_name="populationmember",
            constraint=models.UniqueConstraint(
                condition=models.Q(("left_at__isnull", True)),
                fields=("dataset_budget",),
                name="budgets_one_population",
            ),
        ),
        migrations.AddConstraint(
            model_name="ratelimit",
            constraint=models.UniqueConstraint(
                fields=("budget", "period"), name="budgets_one_rate"
            ),
        ),
        migrations.AddConstraint(
            model_name="ratelimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("taken_nano__gte", 0), ("limit_nano__gt", 0)),
                name="budgets_rate_counts",
            ),
        ),
    ]
