"""What a person of each role would sensibly do next, for the top of the overview."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpgov.budgets.words import rest
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role

_NEARLY = 10


@dataclass(frozen=True, slots=True)
class Step:
    """A suggestion: `url_name` and `slug` say where its button leads."""

    title: str
    text: str
    action: str
    url_name: str
    slug: str = ""


def next_steps(membership: Membership, datasets: Sequence[Dataset]) -> list[Step]:
    """One or two suggestions; empty when nothing is called for."""
    role = membership.role
    if role == Role.OWNER:
        return [_REGISTER] if not datasets else _nearly_spent(datasets)
    if role == Role.ANALYST and datasets:
        return [_ask(datasets)] if any(_has_room(d) for d in datasets) else []
    if role == Role.OFFICER:
        return [_VERIFY]
    return [_INVITE] if role == Role.ADMIN else []


def _has_room(dataset: Dataset) -> bool:
    return dataset.budget.remaining_nano > 0


def _ask(datasets: Sequence[Dataset]) -> Step:
    roomy = max(datasets, key=lambda dataset: dataset.budget.remaining_nano)
    text = "You see the price and the expected error before anything is spent."
    return Step(f"Ask {roomy.name} a question", text, "Ask a question", "queries:ask", roomy.slug)


def _left(dataset: Dataset) -> str:
    return rest(dataset.budget.remaining_nano, dataset.budget.currency)


def _nearly_spent(datasets: Sequence[Dataset]) -> list[Step]:
    low = [d for d in datasets if d.budget.remaining_nano * _NEARLY < d.budget.limit_nano]
    return [
        Step(
            title=f"{dataset.name} is nearly spent",
            text=f"Of its budget remains {_left(dataset)}.",
            action="See where it went",
            url_name="dashboards:budget",
            slug=dataset.slug,
        )
        for dataset in low[:2]
    ]


_REGISTER = Step(
    "Register your first dataset",
    "Upload a file, say which values its columns may have, and set the budget. "
    "Nobody sees the rows; analysts get noisy answers only.",
    "Register a dataset",
    "datasets:upload",
)
_VERIFY = Step(
    "Check the audit log",
    "Every step is linked to the one before it. Verifying finds any entry that was changed.",
    "Open the audit log",
    "dashboards:audit_log",
)
_INVITE = Step(
    "Look after the members",
    "Add people and give each the one role that they need.",
    "Open the members",
    "tenants:members",
)
