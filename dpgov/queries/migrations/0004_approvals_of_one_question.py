import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0010_approve_every_question"),
        ("queries", "0003_asked_by_owners"),
    ]

    operations = [
        migrations.AddField(
            model_name="budgetrequest", name="plan", field=models.JSONField(null=True)
        ),
        migrations.AddField(
            model_name="budgetrequest", name="cost_nano", field=models.BigIntegerField(null=True)
        ),
        migrations.AddField(
            model_name="budgetrequest",
            name="version",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="datasets.datasetversion",
            ),
        ),
        migrations.AddField(
            model_name="budgetrequest",
            name="canonical_sha256",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AlterField(
            model_name="budgetrequest",
            name="about",
            field=models.CharField(
                choices=[
                    ("allocation", "An allocation of my own, or a larger one"),
                    ("limit", "A higher limit of the dataset"),
                    ("permit", "A permit for larger questions"),
                    ("question", "The approval of one question"),
                ],
                max_length=12,
            ),
        ),
        migrations.RemoveConstraint(
            model_name="budgetrequest", name="queries_one_waiting_budget_request"
        ),
        migrations.AddConstraint(
            model_name="budgetrequest",
            constraint=models.UniqueConstraint(
                condition=Q(state="waiting"),
                fields=("tenant", "dataset", "asked_by", "about", "canonical_sha256"),
                name="queries_one_waiting_budget_request",
            ),
        ),
        migrations.AddConstraint(
            model_name="budgetrequest",
            constraint=models.CheckConstraint(
                condition=Q(
                    about="question", plan__isnull=False, version__isnull=False, cost_nano__gt=0
                )
                | (
                    Q(plan__isnull=True, version__isnull=True, cost_nano__isnull=True)
                    & ~Q(about="question")
                ),
                name="queries_approval_is_of_a_priced_plan",
            ),
        ),
        migrations.AddField(
            model_name="query",
            name="approval",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="question",
                to="queries.budgetrequest",
            ),
        ),
    ]
