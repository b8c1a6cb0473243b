"""What a person of each role would sensibly do next, for the top of the overview."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dpgov.budgets.words import amount
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
        return [_register()] if not datasets else _nearly_spent(datasets)
    if role == Role.ANALYST and datasets:
        return [_ask(datasets)] if any(_has_some_left(d) for d in datasets) else []
    if role == Role.OFFICER:
        return [_verify()]
    return [_invite()] if role == Role.ADMIN else []


def _has_some_left(dataset: Dataset) -> bool:
    return dataset.budget.remaining_nano > 0


def _ask(datasets: Sequence[Dataset]) -> Step:
    roomy = max(datasets, key=lambda dataset: dataset.budget.remaining_nano)
    title = _("Ask %(dataset)s a question") % {"dataset": roomy.name}
    text = _("You see the price and the expected error before anything is spent.")
    return Step(title, text, _("Ask a question"), "queries:ask", roomy.slug)


def _left(dataset: Dataset) -> str:
    return amount(dataset.budget.remaining_nano, dataset.budget.currency)


def _nearly_spent(datasets: Sequence[Dataset]) -> list[Step]:
    low = [d for d in datasets if d.budget.remaining_nano * _NEARLY < d.budget.limit_nano]
    return [
        Step(
            title=_title(dataset),
            text=_("%(rest)s of its budget is left.") % {"rest": _left(dataset)},
            action=_("See where it went"),
            url_name="dashboards:budget",
            slug=dataset.slug,
        )
        for dataset in low[:2]
    ]


def _title(dataset: Dataset) -> str:
    if _has_some_left(dataset):
        return _("%(dataset)s is nearly used up") % {"dataset": dataset.name}
    return _("%(dataset)s is used up") % {"dataset": dataset.name}


def _register() -> Step:
    text = _(
        "Upload a file, say which values its columns may have, and set the budget. "
        "Nobody sees the rows; analysts get noisy answers only."
    )
    title, action = _("Register your first dataset"), _("Register a dataset")
    return Step(title, text, action, "datasets:upload")


def _verify() -> Step:
    text = _(
        "Every step is linked to the one before it. Verifying finds any entry that was changed."
    )
    return Step(_("Check the audit log"), text, _("Open the audit log"), "dashboards:audit_log")


def _invite() -> Step:
    text = _("Add people and give each the one role that they need.")
    return Step(_("Look after the members"), text, _("Open the members"), "people:members")
