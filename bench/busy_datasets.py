"""Thousands of datasets, by SQL: copies of one that was registered, each with its own budget."""

from collections.abc import Mapping

import psycopg
from django.db.models import Model

from bench.cast import Cast
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Column, Dataset, DatasetVersion, Policy

# What is another one's in each copy. Everything else is as in the original.
_OWN_ID = "md5({0}::text || ' ' || n)::uuid"
_OWN_NAME = "{0} || '-' || n"
_COPIED: tuple[tuple[type[Model], str, Mapping[str, str]], ...] = (
    (Budget, "id = %(budget)s", {"id": _OWN_ID, "label": _OWN_NAME}),
    (
        Dataset,
        "id = %(dataset)s",
        {"id": _OWN_ID, "budget_id": _OWN_ID, "slug": _OWN_NAME, "name": _OWN_NAME},
    ),
    (Policy, "dataset_id = %(dataset)s", {"dataset_id": _OWN_ID}),
    (DatasetVersion, "dataset_id = %(dataset)s", {"id": _OWN_ID, "dataset_id": _OWN_ID}),
    (Column, "version_id = %(version)s", {"version_id": _OWN_ID}),
)


def fill_datasets(admin: psycopg.Connection, cast: Cast, number: int) -> None:
    """So many more datasets of the tenant, with nothing asked of them, and with no data file."""
    original = cast.datasets[-1]
    version = original.versions.get()
    values = {
        "budget": original.budget_id,
        "dataset": original.pk,
        "version": version.pk,
        "number": number,
    }
    for model, which, own in _COPIED:
        columns = [field.column for field in model._meta.concrete_fields if field.column]
        made = {name: own.get(name, "{0}").format(name) for name in columns}
        if model is Column:
            # Its own number comes from the sequence.
            del made["id"]
        admin.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(made)}) "
            f"SELECT {', '.join(made.values())} FROM {model._meta.db_table},"
            f" generate_series(1, %(number)s) AS n WHERE {which}".encode(),
            values,
        )
