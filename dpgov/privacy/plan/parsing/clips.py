"""The clip of one statistic from JSON: {"from": 20, "to": 60}, narrower than what is declared."""

from dpgov.language.said import Said, said
from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.plan.clipping import clipped_domain
from dpgov.privacy.plan.parsing.where import read_number
from dpgov.privacy.plan.plan import Clip
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import DatasetSchema, DateDomain, InvalidDomain, NumericDomain

_ENDS = ("from", "to")


def not_clipped() -> Said:
    """Why another statistic takes none."""
    return said("Only a sum, mean, variance or standard deviation of a number can be clipped.")


def read_clip(
    path: str, raw: object, column: str, schema: DatasetSchema, problems: Problems
) -> Clip | None:
    """Both ends; None for a problem, and for the declared bounds themselves: they clip nothing."""
    domain = next(c.domain for c in schema.columns if c.name == column)
    if isinstance(domain, DateDomain) or not isinstance(domain, NumericDomain):
        problems.add(path, not_clipped())
        return None
    body = problems.mapping(path, raw, _ENDS)
    if body is None:
        return None
    low, high = (_end(path, end, body.get(end), domain, problems) for end in _ENDS)
    if low is None or high is None:
        return None
    try:
        found = clipped_domain(domain, (low, high))
    except InvalidDomain as problem:
        problems.add(f"{path}.{problem.field}", problem.args[0])
        return None
    return None if found.top == domain.top else (low, high)


def _end(path: str, end: str, raw: object, domain: NumericDomain, problems: Problems) -> str | None:
    """An end that is left out is the declared one."""
    if raw is None:
        return decimal_text(domain.lower if end == "from" else domain.upper)
    return read_number(f"{path}.{end}", raw, problems)
