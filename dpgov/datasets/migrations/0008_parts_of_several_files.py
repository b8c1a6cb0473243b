"""Partitioned budgets that several files entered before a unit's part was kept lose the discount.

A unit may lie in one part of one file and in another part of the next one. A budget with one file
keeps its discount: that file says where each of its units lies.
"""

from typing import Any, ClassVar

from django.db import migrations
from django.utils import timezone


def _give_up(apps: Any, schema_editor: Any) -> None:
    budgets = apps.get_model("budgets", "Budget").objects
    versions = apps.get_model("datasets", "DatasetVersion").objects.exclude(
        dataset__partition_column=""
    )
    files: dict[Any, int] = {}
    for budget in versions.values_list("dataset__budget", flat=True).order_by():
        files[budget] = files.get(budget, 0) + 1
    several = [budget for budget, number in files.items() if number > 1]
    budgets.filter(pk__in=several).update(undivided_at=timezone.now())


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0009_undivided"), ("datasets", "0007_desks")]

    operations: ClassVar = [migrations.RunPython(_give_up, migrations.RunPython.noop)]
