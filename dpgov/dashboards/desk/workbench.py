"""An analyst's part of the desk: what can be asked, what was kept, and what was asked last.

Declared metadata, limits and this person's own questions; it never looks at answers or data.
"""

from typing import Any

from django.http import HttpRequest

from dpgov.dashboards.history.table import columns_for, question_table
from dpgov.datasets.finding import first_by_name
from dpgov.queries.selectors import visible_queries
from dpgov.queries.workbench.saved import saved_questions
from dpgov.tenants.permissions import membership_of

_DATASETS = 8
_OWN = 5


def workbench(request: HttpRequest) -> dict[str, Any]:
    """The first datasets by name, and the newest saved and asked questions of this person."""
    membership = membership_of(request)
    found, every = first_by_name(membership, _DATASETS)
    # Without the allocations that were charged: the list of all questions has them.
    recent = question_table(visible_queries(membership)[:_OWN], columns_for(membership))
    return {
        "found": found,
        "more_datasets": every - len(found),
        "kept": saved_questions(membership)[:_OWN],
        "recent": recent,
    }
