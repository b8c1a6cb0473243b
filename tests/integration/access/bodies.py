"""What is sent to doors: one count, by form and by API, and what names a row that is there."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Project
from tests.integration.datasets.registering import CSV

FORM = {"statistic": ["0"], "statistic-0-kind": "count", "epsilon": "0.5", "price": "0.5"}
PLAN = {
    "dataset": "visits",
    "statistics": [{"statistic": "count"}],
    "where": [],
    "group_by": [],
    "epsilon": 0.5,
}
BATCH = {"epsilon": 0.5, "plans": [{"statistics": [{"statistic": "count"}]}]}
TABLES_FORM = {
    "column-2-use": "on",
    "tables": "1",
    "key": "k-5",
    "by": "epsilon",
    "epsilon": "0.5",
    "price": "0.5",
}
BATCH_FORM = {
    "question": ["0"],
    "question-0-plan": json.dumps({"statistics": [{"statistic": "count"}]}),
    "epsilon": "0.5",
    "price": "0.5",
}


def officer_joins() -> dict[str, Any]:
    return {"person": str(Membership.objects.get(user__email__startswith="oscar@harbour").pk)}


def a_file() -> dict[str, Any]:
    return {"file": SimpleUploadedFile("people.csv", CSV)}


def compared() -> dict[str, Any]:
    """The confirmation of the one frozen budget: its form's fields bear the budget's id."""
    budget = Dataset.objects.get(slug="visits").budget_id
    return {f"{budget}-reason": "compared with the receipts", f"{budget}-missing": ""}


def permit() -> dict[str, Any]:
    analyst = Membership.objects.get(user__email__startswith="anna@harbour")
    return {"person": str(analyst.pk), "limit": "2", "last_day": "2099-01-01", "reason": "study"}


def grant() -> dict[str, Any]:
    project = Project.objects.get(name="Study harbour")
    return {"holder": str(project.pk), "epsilon_limit": "1", "reason": "the study"}
