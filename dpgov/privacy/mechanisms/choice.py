"""Which mechanism answers a statistic: a function of the plan and the public metadata alone."""

from dpgov.privacy.mechanisms.count import count
from dpgov.privacy.mechanisms.mean import mean
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.public_mean import public_mean, rows_are_public
from dpgov.privacy.mechanisms.sum import total
from dpgov.privacy.plan import InvalidPlan, Plan, PlanProblem, Statistic, StatisticKind
from dpgov.privacy.schema import DatasetSchema, NumericDomain
from dpgov.privacy.sensitivity import exposure


def mechanism_for(statistic: Statistic, plan: Plan, schema: DatasetSchema, nano: int) -> Mechanism:
    """The mechanism of one statistic with its share of the plan's ε.

    Raises InvalidPlan when the schema no longer has its column as a column of numbers.
    """
    filtered, grouped = bool(plan.where), bool(plan.group_by)
    if statistic.kind is StatisticKind.COUNT:
        exposed = exposure(schema, filtered=filtered, grouped=grouped, missing_drops=False)
        return count(statistic, exposed, nano)
    index, domain, missing_drops = _numbers(statistic, schema)
    exposed = exposure(schema, filtered=filtered, grouped=grouped, missing_drops=missing_drops)
    if statistic.kind is StatisticKind.SUM:
        return total(statistic, index, domain, exposed, nano)
    if rows_are_public(schema, exposed):
        rows = schema.public_rows or 0
        return public_mean(statistic, index, domain, exposed, nano, rows=rows)
    return mean(statistic, index, domain, exposed, nano)


def _numbers(statistic: Statistic, schema: DatasetSchema) -> tuple[int, NumericDomain, bool]:
    index = schema.index_of(statistic.column or "")
    column = None if index is None else schema.columns[index]
    if index is None or column is None or not isinstance(column.domain, NumericDomain):
        message = f"“{statistic.column}” is no longer a column of numbers."
        raise InvalidPlan((PlanProblem("statistics", message),))
    return index, column.domain, column.may_be_missing
