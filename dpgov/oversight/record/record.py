"""A dataset's guarantee as a record for the OpenDP deployments registry, in YAML.

Everything but what a person types comes from declarations and limits; nothing from data. The
record is checked against the registry's schema before anybody gets it. It is a draft of tier 3:
people publish it, this software does not.

Source: github.com/opendp/deployments-registry-data; see registry-schema.yaml beside this file.
"""

from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.utils.text import slugify
from jsonschema import Draft202012Validator

from dpgov.budgets.words import limit_text, question
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.rules import most_per_question
from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.mechanisms.mechanism import released_by
from dpgov.privacy.plan.statistics import StatisticKind

_SCHEMA = Path(__file__).parent / "registry-schema.yaml"


class RecordOutsideSchema(ValueError):
    """A record that the registry would refuse: a bug here, never a fault of what was typed."""


@dataclass(frozen=True, slots=True)
class DeploymentFacts:
    """What only people know about a deployment."""

    curators: tuple[str, ...]
    intended_use: str
    region: str
    sector: str
    published: date
    authors: tuple[str, ...]
    sources: str = ""
    unprotected: str = ""
    justification: str = ""


@cache
def registry_schema() -> dict[str, Any]:
    """The registry's schema as it stands in the tree."""
    schema: dict[str, Any] = yaml.safe_load(_SCHEMA.read_text())
    return schema


def allowed(field: str) -> tuple[str, ...]:
    """The values that the schema allows for a basic field."""
    basic = registry_schema()["properties"]["deployment"]["properties"]["basic"]
    return tuple(basic["properties"][field]["enum"])


def record_yaml(dataset: Dataset, version: DatasetVersion, typed: DeploymentFacts) -> str:
    """The record as YAML; raises RecordOutsideSchema rather than hand out one that is refused."""
    record = record_of(dataset, version, typed)
    checker = Draft202012Validator.FORMAT_CHECKER
    problems = list(
        Draft202012Validator(registry_schema(), format_checker=checker).iter_errors(record)
    )
    if problems:
        raise RecordOutsideSchema("; ".join(problem.message for problem in problems))
    return yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=92)


def record_of(dataset: Dataset, version: DatasetVersion, typed: DeploymentFacts) -> dict[str, Any]:
    """The record as a value."""
    basic = {
        "name": dataset.name,
        "data_curators": list(typed.curators),
        "intended_use": typed.intended_use,
        "data_product_type": "Interactive API",
        "data_product_region": typed.region,
        "description": dataset.description or f"Noisy statistics about {dataset.name}.",
        "publication_date": typed.published.isoformat(),
    }
    if typed.sector:
        basic["data_product_sector"] = typed.sector
    administrative = {"sources": typed.sources, "registry_authors": list(typed.authors)}
    name = f"{dataset.name} {typed.curators[0]} {typed.published.year}"
    return {
        "url_slug": slugify(name) or "deployment",
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": basic,
            "dp_variant": _variant(dataset, version, typed),
            "privacy_loss": _loss(dataset),
            "deployment_model": _model(dataset),
            "accounting": _accounting(dataset),
            "implementation": _implementation(dataset, typed),
            "administrative": {key: text for key, text in administrative.items() if text},
        },
    }


def _variant(dataset: Dataset, version: DatasetVersion, typed: DeploymentFacts) -> dict[str, str]:
    columns = "; ".join(_column(column) for column in version.columns.all())
    return {
        "variant_name": "Zero-concentrated DP" if dataset.budget.delta else "Pure DP",
        "data_domain": f"Tables of at most {dataset.max_rows:,} rows with the columns {columns}.",
        "unprotected_quantities": " ".join(filter(None, (_public(dataset), typed.unprotected))),
    }


def _column(column: Column) -> str:
    if column.kind == Column.Kind.CATEGORY:
        return f"{column.name} (one of {len(column.categories)} categories)"
    if column.kind == Column.Kind.DATE:
        return f"{column.name} ({column.lower} to {column.upper} by {column.step})"
    return f"{column.name} ({column.lower} to {column.upper} in steps of {column.step})"


def _public(dataset: Dataset) -> str:
    if dataset.neighbouring == Dataset.Neighbouring.ADD_REMOVE:
        return "None: the number of rows is protected too. Domains of columns are declared."
    what = "people" if dataset.private_id else "rows"
    return f"The number of {what}. Domains of columns are declared."


def _loss(dataset: Dataset) -> dict[str, Any]:
    budget, who = dataset.budget, "person" if dataset.private_id else "row"
    if dataset.private_id:
        unit = f"All rows of one person, named by {dataset.private_id}"
        details = f"At most {dataset.max_rows_per_unit} rows of each are used, chosen by chance."
    else:
        unit, details = "One row", "Each row is one unit."
    if dataset.group_size > 1:
        unit = f"Any {dataset.group_size} units together, each: {unit[:1].lower()}{unit[1:]}"
    differ = "added or removed" if dataset.neighbouring == "add_remove" else "changed"
    parameters = {"epsilon": as_number(budget.limit_epsilon_nano)}
    if budget.delta:
        parameters = {"rho": as_number(budget.limit_nano), "delta": float(budget.delta)}
    return {
        "privacy_unit": unit,
        "privacy_unit_details": f"Two tables are neighbours if one {who} is {differ}. {details}",
        "privacy_parameters": parameters,
        "privacy_parameters_details": f"The limit for all answers together: {limit_text(budget)}.",
    }


def _model(dataset: Dataset) -> dict[str, str]:
    most = question(most_per_question(dataset), dataset.budget.currency)
    return {
        "model_name": "Central",
        "actors": "Owners register data, limits and domains; analysts ask and see noisy answers "
        "only; compliance officers read and verify a signed log of every step.",
        "release_type": "Many releases",
        "release_type_details": "Every answer is a release. The budget is never renewed: once the "
        "limit is reached, nothing more is answered.",
        "data_source_type": "Static",
        "data_source_type_details": "Versions of the data share one budget.",
        "access_type": "Interactive",
        "access_type_details": f"One question may cost at most {most}. One budget counts for all "
        "analysts together, so that they may work together or not.",
    }


def _accounting(dataset: Dataset) -> dict[str, str]:
    adds = "ρ adds up" if dataset.budget.delta else "ε adds up"
    parallel = (
        f" Questions about some categories of {dataset.partition_column} are charged to those "
        "alone (parallel composition)."
        if dataset.partition_column and dataset.budget.undivided_at is None
        else ""
    )
    return {
        "composition": f"Sequential: {adds}, in exact integers, and a privacy filter refuses what "
        f"would pass the limit, whatever was asked before.{parallel}",
        "post_processing": "Answers may be put together into further ones at no loss.",
    }


def _implementation(dataset: Dataset, typed: DeploymentFacts) -> dict[str, str]:
    noise = " or ".join(released_by(StatisticKind.SUM.facts, dataset.budget.currency.mode))
    fields = {
        "preprocessing_and_hyperparameter_tuning": "Bounds, categories and limits are declared by "
        "the owner and not taken from the data; values are clamped to them.",
        "mechanisms": f"Integer aggregates with {noise} noise from the OpenDP library. No floating "
        "point between data and noise; answers appear at fixed times, so that neither they nor "
        "refusals depend on the data in time.",
        "justification": typed.justification,
    }
    return {key: text for key, text in fields.items() if text}
