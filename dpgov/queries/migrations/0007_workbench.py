"""What analysts keep and ask for: saved questions, and requests for budget."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0006_units"),
        ("queries", "0006_reuse"),
        ("tenants", "0003_doors"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BudgetRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "about",
                    models.CharField(
                        choices=[
                            ("allocation", "An allocation of my own, or a larger one"),
                            ("limit", "A higher limit of the dataset"),
                        ],
                        max_length=12,
                    ),
                ),
                ("epsilon_nano", models.BigIntegerField()),
                ("reason", models.CharField(max_length=500)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("granted", "Granted"),
                            ("passed_on", "Passed on to a compliance officer"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="waiting",
                        max_length=12,
                    ),
                ),
                ("answered_at", models.DateTimeField(null=True)),
                ("answer", models.CharField(blank=True, max_length=500)),
                ("granted_nano", models.BigIntegerField(null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["tenant", "state", "-asked_at"],
                        name="queries_bud_tenant__88d43e_idx",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "waiting")),
                        fields=("tenant", "dataset", "asked_by", "about"),
                        name="queries_one_waiting_wish",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("answered_at__isnull", True),
                                ("answered_by__isnull", True),
                                ("state", "waiting"),
                            ),
                            models.Q(
                                ("answered_at__isnull", False),
                                ("answered_by__isnull", False),
                                models.Q(("state", "waiting"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="queries_wish_is_answered_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("granted_nano__gt", 0), ("state", "granted")),
                            models.Q(
                                ("granted_nano__isnull", True),
                                models.Q(("state", "granted"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="queries_wish_granted_with_its_amount",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("epsilon_nano__gt", 0)), name="queries_wish_is_positive"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedQuestion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("plan", models.JSONField()),
                ("saved_at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(null=True)),
                (
                    "analyst",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["tenant", "analyst", "-saved_at"],
                        name="queries_sav_tenant__cd5537_idx",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at__isnull", True)),
                        fields=("tenant", "analyst", "dataset", "name"),
                        name="queries_one_saved_by_a_name",
                    )
                ],
            },
        ),
    ]
