"""What each budget protects is written down with it: datasets say so, populations follow them.

A population takes the promise of its first member. It may have members of several promises from
before there was this rule; only new ones are held to it.
"""

from typing import Any, ClassVar

from django.db import migrations


def _write_down(apps: Any, schema_editor: Any) -> None:
    budgets = apps.get_model("budgets", "Budget").objects
    members = apps.get_model("budgets", "PopulationMember").objects
    for dataset in apps.get_model("datasets", "Dataset").objects.order_by("created_at"):
        budgets.filter(pk=dataset.budget_id, protects="").update(protects=_promise(dataset))
    for kind in ("partition", "allocation"):
        for budget in budgets.filter(kind=kind, protects=""):
            below = getattr(budget, _LINKS[kind])
            budgets.filter(pk=budget.pk).update(protects=below.dataset_budget.protects)
    for member in members.select_related("dataset_budget").order_by("joined_at"):
        budgets.filter(pk=member.population_id, protects="").update(
            protects=member.dataset_budget.protects
        )


_LINKS = {"partition": "partition_line", "allocation": "allocation"}


def _promise(dataset: Any) -> str:
    """As `services.guarantee.protected` spells it."""
    size = dataset.group_size
    whom = "one unit" if size == 1 else f"{size} units together"
    return f"{whom}, {'added or removed' if dataset.neighbouring == 'add_remove' else 'changed'}"


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0008_currencies"), ("datasets", "0004_doors")]

    operations: ClassVar = [migrations.RunPython(_write_down, migrations.RunPython.noop)]
