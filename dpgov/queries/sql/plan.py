"""The plan that a text in SQL stands for."""

from dpgov.datasets.models import Dataset
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.sql.reading import read_sql


def plan_of_sql(text: str, *, dataset: Dataset, schema: DatasetSchema) -> Plan:
    """The plan that a text stands for. Raises RefusedSql with every problem at its place."""
    names = [column.name for column in schema.columns]
    found = read_sql(text, columns=names, private_id=schema.unit.private_id)
    try:
        return parse_plan(found.raw_plan, schema, dataset=dataset.slug)
    except InvalidPlan as refusal:
        raise found.placed(refusal) from refusal
