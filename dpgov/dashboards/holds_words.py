"""What a request about a held dataset would change, in words for both persons.

Reads the request's own payload alone: what the dataset resembles is on its page, for officers.
"""

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.dashboards.populations_words import Told

_MEANING = {
    Kind.RELEASE_HELD_DATASET: "Approve only if these are other people than in everything that "
    "the dataset resembles: they get a budget of their own.",
    Kind.SHARE_HELD_DATASET_BUDGET: "Approve if these are the same people: what was spent on them "
    "stays spent, and one limit holds for both datasets together.",
    Kind.DISCARD_HELD_DATASET: "Nobody will ever ask about it. The file is deleted for good; what "
    "the log says about it stays.",
}


def hold_title(request: ChangeRequest) -> str | None:
    """One line for lists, or None for a request about something else; asks no database."""
    payload = request.payload
    try:
        match request.kind:
            case Kind.RELEASE_HELD_DATASET:
                return f"Give the held dataset “{payload['name']}” a budget of its own"
            case Kind.SHARE_HELD_DATASET_BUDGET:
                earlier = payload["earlier_name"]
                return f"Let the held dataset “{payload['name']}” share the budget of “{earlier}”"
            case Kind.DISCARD_HELD_DATASET:
                return f"Discard the held dataset “{payload['name']}”"
    except KeyError:
        # An older or foreign form of the request: it is shown as it is written.
        return None
    return None


def hold_words(request: ChangeRequest) -> Told | None:
    """The whole request in words; None where `hold_title` has none."""
    title = hold_title(request)
    if title is None:
        return None
    budget = {
        Kind.RELEASE_HELD_DATASET: "its own",
        Kind.SHARE_HELD_DATASET_BUDGET: f"that of “{request.payload.get('earlier_name', '')}”",
        Kind.DISCARD_HELD_DATASET: "none",
    }
    kind = Kind(request.kind)
    return Told(title, [("Budget", "held, not usable", budget[kind])], [_MEANING[kind]])
