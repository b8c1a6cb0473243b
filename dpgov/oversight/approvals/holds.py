"""What a request about a held dataset would change, in words for both persons.

Reads the request's own payload alone: what the dataset resembles is on its page, for officers.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.limits.population_words import Told

_MEANING = {
    Kind.RELEASE_HELD_DATASET: gettext_lazy(
        "Approve only if these are other people than in everything that the dataset resembles: "
        "they get a budget of their own."
    ),
    Kind.SHARE_HELD_DATASET_BUDGET: gettext_lazy(
        "Approve if these are the same people: what was spent on them stays spent, and one limit "
        "holds for both datasets together."
    ),
    Kind.DISCARD_HELD_DATASET: gettext_lazy(
        "Nobody will ever ask about it. The file is deleted for good; what the log says about it "
        "stays."
    ),
}


def hold_title(request: ChangeRequest) -> str | None:
    """One line for lists, or None for a request about something else; asks no database."""
    payload = request.payload
    try:
        match request.kind:
            case Kind.RELEASE_HELD_DATASET:
                own = _("Give the held dataset “%(name)s” a budget of its own")
                return own % {"name": payload["name"]}
            case Kind.SHARE_HELD_DATASET_BUDGET:
                shared = _("Let the held dataset “%(name)s” share the budget of “%(earlier)s”")
                return shared % {"name": payload["name"], "earlier": payload["earlier_name"]}
            case Kind.DISCARD_HELD_DATASET:
                return _("Discard the held dataset “%(name)s”") % {"name": payload["name"]}
    except KeyError:
        # An older or foreign form of the request: it is shown as it is written.
        return None
    return None


def hold_words(request: ChangeRequest) -> Told | None:
    """The whole request in words; None where `hold_title` has none."""
    title = hold_title(request)
    if title is None:
        return None
    earlier = request.payload.get("earlier_name", "")
    budget = {
        Kind.RELEASE_HELD_DATASET: _("its own"),
        Kind.SHARE_HELD_DATASET_BUDGET: _("that of “%(name)s”") % {"name": earlier},
        Kind.DISCARD_HELD_DATASET: pgettext("no budget", "none"),
    }
    kind = Kind(request.kind)
    row = (_("Budget"), _("held, not usable"), budget[kind])
    return Told(title, [row], [str(_MEANING[kind])])
