"""The steps of the ledger are installed again: they look whether there is such a question."""

from importlib import import_module
from typing import ClassVar

from django.db import migrations

_steps = import_module("dpgov.budgets.migrations.0005_ledger_steps")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0010_extending")]

    operations: ClassVar = [migrations.RunPython(_steps._install, migrations.RunPython.noop)]
