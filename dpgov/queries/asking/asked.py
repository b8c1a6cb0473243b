"""What a body asks: read against a version's public metadata alone. Changes nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.conf import settings

from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.rules import least_price_nano, rules_of, rules_shown
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.answer import batch as batches
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.body import cells_within, check_cells
from dpgov.privacy.answer.table_sets import is_table_set, parse_table_set
from dpgov.privacy.answer.wanted import cheapest, parse_wanted
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.models import BudgetRequest, Query, ReadyMade


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, or those of a `batch` at their parts of its amount.

    `ready_made` is what an owner approved beforehand, where the question was made of that alone;
    `approval` is that of just this question, which it uses up.
    """

    version: DatasetVersion
    blueprints: tuple[Blueprint, ...]
    batch: batches.Batch | None = None
    ready_made: ReadyMade | None = None
    approval: BudgetRequest | None = None


# What a worker needs at most for each number of a large answer; see docs/benchmarks.md.
_BYTES_OF_NUMBER = 500

# Reads a body against the version's public metadata; raises InvalidPlan.
Reader = Callable[[DatasetVersion, object], Asked]


def by_owner(query: Query) -> dict[str, bool]:
    """For the log: that an owner asked, who governs such data; nothing for everybody else."""
    return {"by_owner": True} if query.by_owner else {}


def read_plan(version: DatasetVersion, raw_plan: object) -> Asked:
    """One plan with its amount; raises InvalidPlan."""
    schema = schema_of(version)
    plan = parse_plan(raw_plan, schema, dataset=version.dataset.slug)
    return Asked(version, fitting((prepare(plan, schema),)))


def read_wanted(version: DatasetVersion, raw_plan: object, assumed_rows: int | None) -> Asked:
    """The same, or with the smallest amount that the accuracy needs which it names in its place."""
    if not isinstance(raw_plan, Mapping) or "accuracy" not in raw_plan:
        return read_plan(version, raw_plan)
    dataset, schema = version.dataset, schema_of(version)
    plan, wanted = parse_wanted(raw_plan, schema, dataset=dataset.slug)
    least = least_price_nano(dataset, rules_shown(dataset))
    found = cheapest(plan, schema, wanted, assumed_rows=assumed_rows, least_nano=least)
    return Asked(version, fitting((found,)))


def read_batch(version: DatasetVersion, raw_batch: object) -> Asked:
    """Several plans, or a set of tables, and one amount for all; raises InvalidPlan."""
    schema, dataset = schema_of(version), version.dataset
    if is_table_set(raw_batch):
        rules = rules_of(dataset)
        each = least_price_nano(dataset, rules), rules.per_query_nano
        batch = parse_table_set(raw_batch, schema, dataset=dataset.slug, each=each)
    else:
        batch = batches.parse_batch(raw_batch, schema, dataset=dataset.slug)
    return Asked(version, fitting(batches.priced(batch, schema)), batch)


def fitting(blueprints: tuple[Blueprint, ...]) -> tuple[Blueprint, ...]:
    """The same; raises InvalidPlan where one has more numbers than this installation answers.

    So many as were set, and as fit the memory of a worker. Plans of few cells fit anywhere, and
    what adaptive rounds choose from is never released.
    """
    in_memory = settings.DPGOV_QUERY_MEMORY_BYTES // _BYTES_OF_NUMBER
    most = min(settings.DPGOV_MOST_NUMBERS, in_memory)
    for blueprint in blueprints:
        if blueprint.plan.choosing is None:
            check_cells(blueprint.cells, cells_within(most, blueprint.plan))
    return blueprints
