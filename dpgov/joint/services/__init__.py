"""What changes a joint question: proposing, taking part, leaving, sharing, and its steps."""

from dpgov.joint.services.parties import join_as_agreed, leave, request_to_join
from dpgov.joint.services.proposing import look_at, propose
from dpgov.joint.services.sharing import answer_for
from dpgov.joint.services.steps import joint_round

__all__ = [
    "answer_for",
    "join_as_agreed",
    "joint_round",
    "leave",
    "look_at",
    "propose",
    "request_to_join",
]
