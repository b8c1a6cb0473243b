"""The predictors of a regression from JSON: names of columns, each once, and not the outcome."""

from dpgov.language.said import Said, said
from dpgov.privacy.plan.problems import Problems, shortened
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema
from dpgov.privacy.plan.statistics import StatisticKind

MAX_PREDICTORS = 10
# A category beside the first of its column is a term of its own.
MAX_TERMS = 30


def not_grouped() -> Said:
    """Why a regression takes no groups."""
    return said(
        "A regression has one line for all rows: filter the rows, or make the column of the group "
        "a predictor."
    )


def read_predictors(
    path: str,
    kind: StatisticKind,
    raw: object,
    outcome: str,
    schema: DatasetSchema,
    problems: Problems,
) -> tuple[str, ...]:
    """The columns in their order; none for other statistics."""
    if not kind.facts.takes_predictors:
        if raw is not None:
            problems.add(f"{path}.predictors", said("Only a regression takes predictors."))
        return ()
    if raw is None:
        problems.add(f"{path}.predictors", said("Choose the columns that explain the outcome."))
        return ()
    path = f"{path}.predictors"
    found: list[ColumnSpec] = []
    for place, name in enumerate(problems.items(path, raw, least=1, most=MAX_PREDICTORS)):
        spec = _column(f"{path}.{place}", name, outcome, schema, problems)
        if spec in found:
            message = said("“{column}” is there twice.", column=shortened(name))
            problems.add(f"{path}.{place}", message)
        elif spec is not None:
            found.append(spec)
    terms = sum(map(_terms, found))
    if terms > MAX_TERMS:
        message = said(
            "With an indicator for each category these are {number} terms; at most {most} are "
            "estimated at once.",
            number=terms,
            most=MAX_TERMS,
        )
        problems.add(path, message)
    return tuple(spec.name for spec in found)


def _column(
    path: str, name: object, outcome: str, schema: DatasetSchema, problems: Problems
) -> ColumnSpec | None:
    if name == outcome:
        problems.add(path, said("The outcome can't explain itself; choose other columns."))
        return None
    chosen = problems.choice(path, name, [column.name for column in schema.columns], "column")
    if chosen is None:
        return None
    spec = next(column for column in schema.columns if column.name == chosen)
    if not _terms(spec):
        message = said(
            "“{column}” has a single category, so that it explains nothing.",
            column=shortened(chosen),
        )
        problems.add(path, message)
        return None
    return spec


def _terms(spec: ColumnSpec) -> int:
    return len(spec.domain.categories) - 1 if isinstance(spec.domain, CategoryDomain) else 1
