"""The promises that a request or a decision can break; after each refusal nothing has changed."""

from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal


class ApprovalRefusal(SpokenRefusal):
    """Base of all refusals; `str` is for people, `code` for programs."""

    code = "not_requested"


class AlreadyRequested(ApprovalRefusal):
    """The same change of the same thing waits for a decision already."""

    code = "already_requested"

    def __init__(self) -> None:
        super().__init__(
            said(
                "The same has been requested before and still waits for a decision. "
                "Withdraw that request first if it should be another one."
            )
        )


class AlreadyDecided(ApprovalRefusal):
    """A request is decided once; somebody else was faster, or it was withdrawn."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(
            said("This request was decided before: it is {state}.", state=state.lower())
        )


class OwnRequest(ApprovalRefusal):
    """Nobody decides about what they asked for themselves, whatever their roles."""

    def __init__(self) -> None:
        super().__init__(said("You asked for this yourself, so another person has to decide it."))


class MayNotRequest(ApprovalRefusal):
    """The person's role, as it is now, does not let them request changes."""

    def __init__(self) -> None:
        super().__init__(said("Your role does not let you request this."))


class MayNotDecide(ApprovalRefusal):
    """The person's role, as it is now, does not let them decide this request."""

    def __init__(self) -> None:
        super().__init__(said("Your role does not let you decide this request."))


class NotYourRequest(ApprovalRefusal):
    """Only whoever made a request may withdraw it."""

    def __init__(self) -> None:
        super().__init__(said("Only the person who made this request may withdraw it."))


class ReasonMissing(ApprovalRefusal):
    """A request and a decision each need a reason, for whoever reads the log later."""

    def __init__(self) -> None:
        super().__init__(said("Give a reason. It goes into the audit log."))


class NotApproved(ApprovalRefusal):
    """A change was to be carried out that two persons did not agree on; a bug."""

    def __init__(self) -> None:
        super().__init__(said("This change was not approved by a second person."))


class Stale(ApprovalRefusal):
    """What the request was about has changed since; raised by whoever carries a change out."""


class RequesterGone(Stale):
    """Whoever requested it is not who they were: removed, suspended, or in another role."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "The person who requested this was removed, suspended or given another role since. "
                "Someone else has to request it again."
            )
        )
