"""Answers are sealed until they are due. What has ended before has been published."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

from dpgov.tenants.wall.functions import door

_OUTCOMES = [
    ("released", "An answer"),
    ("failed", "A failure"),
    ("unread", "A failure before anything was read"),
]
_STATES = [
    ("queued", "Waiting"),
    ("running", "Running"),
    ("sealed", "Waiting"),
    ("released", "Answered"),
    ("failed", "Failed, charged"),
    ("voided", "Not run, not charged"),
    ("expired", "Expired, not charged"),
]


def _add(name: str, field: models.Field) -> migrations.AddField:
    return migrations.AddField(model_name="query", name=name, field=field)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("queries", "0008_refusals")]

    operations: ClassVar = [
        _add("class_ms", models.PositiveIntegerField(default=0, db_default=0)),
        _add("doublings", models.PositiveSmallIntegerField(default=0, db_default=0)),
        _add("doublings_owed", models.PositiveSmallIntegerField(default=0, db_default=0)),
        _add("due_at", models.DateTimeField(null=True)),
        _add(
            "outcome",
            models.CharField(
                blank=True, choices=_OUTCOMES, default="", db_default="", max_length=8
            ),
        ),
        _add("sealed_text", models.TextField(blank=True, default="", db_default="")),
        migrations.AlterField(
            model_name="query",
            name="state",
            field=models.CharField(choices=_STATES, default="queued", max_length=8),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                condition=Q(state="sealed"), fields=["due_at"], name="queries_sealed"
            ),
        ),
        migrations.AddConstraint(
            model_name="query",
            constraint=models.CheckConstraint(
                condition=~Q(state="sealed") | (Q(due_at__isnull=False) & ~Q(outcome="")),
                name="queries_sealed_is_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="query",
            constraint=models.CheckConstraint(
                condition=Q(sealed_text="") | Q(outcome="released", state="sealed"),
                name="queries_text_is_sealed",
            ),
        ),
        door(
            "queries_sealed_tenants()",
            returns="SETOF uuid",
            body="SELECT DISTINCT tenant_id FROM queries_query WHERE state = 'sealed'",
        ),
    ]
