"""Entries and heads are written by the function alone, which runs with the owner's rights now."""

from typing import ClassVar

from django.db import migrations

from dpgov.audit.append_function import append_function


class Migration(migrations.Migration):
    dependencies: ClassVar = [("audit", "0005_question_amounts")]

    operations: ClassVar = [append_function()]
