"""Datasets that are declared otherwise than they were registered: only a test can make them."""

from typing import Any

from django.db.models import QuerySet

from tests.triggers import without_triggers


def declare_otherwise(rows: QuerySet[Any, Any], **fields: Any) -> None:
    """These datasets or columns, past the guards that keep what was declared."""
    with without_triggers(rows.model._meta.db_table):
        rows.update(**fields)
