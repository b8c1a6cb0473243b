"""The tour of those who practise: real pages in an order, for each role its own.

A step is done when the log says that this person did it, and never because somebody clicked here;
so that a tour can be left and taken up again. Changes nothing.
"""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dpgov.audit.actions import Action
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.datasets.selectors import datasets_of
from dpgov.tenants.models import Membership, Role


@dataclass(frozen=True, slots=True)
class TourStep:
    """What to do, at which page (of a dataset, unless `at_dataset` is False), and what to look at.

    `done_by` are the entries of the log of which one says that it was done.
    """

    text: Promise
    hint: Promise
    page: str
    done_by: tuple[Action, ...]
    at_dataset: bool = True


STEPS: dict[Role, tuple[TourStep, ...]] = {
    Role.OWNER: (
        TourStep(
            _("Set a policy"),
            _("Say which statistics may be asked, and above which price you want to be asked."),
            "datasets:policy",
            (Action.POLICY_CHANGED,),
        ),
        TourStep(
            _("Grant an analyst an allocation"),
            _("Choose an analyst and how much of the budget they may use."),
            "limits:allocation_new",
            (Action.BUDGET_ALLOCATED,),
        ),
        TourStep(
            _("Pause all questions"),
            _("Nobody can ask until you let questions go on. Do that in the next step."),
            "datasets:pause",
            (Action.QUESTIONS_PAUSED,),
        ),
        TourStep(
            _("Let questions go on"),
            _("The button stands in the note about the pause, at the top of the dataset."),
            "datasets:detail",
            (Action.QUESTIONS_RESUMED,),
        ),
        TourStep(
            _("Request a higher limit"),
            _("It takes two persons: a compliance officer decides about your request."),
            "limits:raise_limit",
            (Action.CHANGE_REQUESTED,),
        ),
    ),
    Role.ANALYST: (
        TourStep(
            _("Ask a question"),
            _("Choose a statistic and a price, look at the expected error, then ask."),
            "queries:ask",
            (Action.QUERY_SUBMITTED,),
        ),
        TourStep(
            _("Take an answer for free"),
            _("Compose the same question again: its answer is there and costs nothing."),
            "queries:ask",
            (Action.QUERY_REUSED,),
        ),
        TourStep(
            _("Ask an owner for more budget"),
            _("Say how much you need and for what."),
            "queries:budget_ask",
            (Action.BUDGET_REQUESTED,),
        ),
        TourStep(
            _("Make a token, to ask from a notebook"),
            _("It works for this practice alone."),
            "tenants:tokens",
            (Action.TOKEN_CREATED,),
            at_dataset=False,
        ),
    ),
    Role.OFFICER: (
        TourStep(
            _("Verify the audit log"),
            _("Every entry is compared with the tree of hashes that it stands in."),
            "oversight:audit_log",
            (Action.AUDIT_LOG_VERIFIED,),
            at_dataset=False,
        ),
        TourStep(
            _("Export the log"),
            _("The copy can be verified without this installation."),
            "oversight:audit_log",
            (Action.AUDIT_LOG_EXPORTED,),
            at_dataset=False,
        ),
        TourStep(
            _("Decide on a request"),
            _("It waits here once an owner has requested a higher limit."),
            "oversight:approvals",
            (Action.CHANGE_APPROVED, Action.CHANGE_REJECTED),
            at_dataset=False,
        ),
    ),
    Role.ADMIN: (
        TourStep(
            _("Invite an analyst"),
            _("Your own second address will do: they come to this practice alone."),
            "people:invitations",
            (Action.INVITATION_SENT,),
            at_dataset=False,
        ),
        TourStep(
            _("Revoke the invitation"),
            _("Its link no longer works."),
            "people:invitations",
            (Action.INVITATION_REVOKED,),
            at_dataset=False,
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step for one reader: its number, the address of its page, and whether it is done."""

    step: TourStep
    number: int
    address: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class Tour:
    """Where somebody stands; `next` is the first step that is not done, None at the end."""

    places: tuple[ShownStep, ...]

    @property
    def next(self) -> ShownStep | None:
        """What to do now."""
        return next((place for place in self.places if not place.is_done), None)


def tour_of(membership: Membership) -> Tour:
    """The tour of somebody who practises. Two statements."""
    steps = tuple(step for role in membership.roles for step in STEPS[role])
    wanted = tuple(action.value for step in steps for action in step.done_by)
    mine = EntryFilter(actor=membership.user.email, actions=wanted)
    entries = entries_of(membership.tenant_id, mine).order_by()
    done = set(entries.values_list("action", flat=True).distinct())
    dataset = datasets_of(membership).first()
    slug = dataset.slug if dataset else ""
    return Tour(
        tuple(
            ShownStep(step, number, _address(step, slug), not done.isdisjoint(step.done_by))
            for number, step in enumerate(steps, start=1)
        )
    )


def _address(step: TourStep, slug: str) -> str:
    if not step.at_dataset:
        return reverse(step.page)
    return reverse(step.page, args=[slug]) if slug else reverse("datasets:list")
