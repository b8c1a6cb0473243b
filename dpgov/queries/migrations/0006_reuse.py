"""Questions that were answered for nothing out of stored answers, and the form of each plan.

Rows from before have no form: their answers have another format and are never reused.
"""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("queries", "0005_tallies")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="query",
            name="canonical_sha256",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="query", name="reuse", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="query", name="sources", field=models.JSONField(default=list)
        ),
        migrations.RemoveConstraint(model_name="query", name="queries_cost_is_positive"),
        migrations.AddConstraint(
            model_name="query",
            constraint=models.CheckConstraint(
                name="queries_cost_is_positive",
                condition=models.Q(cost_nano__gt=0, reuse=False)
                | models.Q(cost_nano=0, opened_at__isnull=True, reuse=True, state="released"),
            ),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(fields=["version", "canonical_sha256"], name="queries_same_form"),
        ),
        migrations.AddIndex(
            model_name="query",
            index=models.Index(
                condition=models.Q(("reuse", False), ("state", "released")),
                fields=["version", "-visible_at"],
                name="queries_stored_answers",
            ),
        ),
    ]
