"""The API's refusal of what is well-formed, and not possible as things stand."""

from collections.abc import Mapping

from rest_framework.exceptions import APIException


class Conflict(APIException):
    """409, with a sentence and its code; the standard error body is made of both."""

    status_code = 409
    default_code = "conflict"
    # Seconds after which the same request may do; it becomes Retry-After.
    wait: int | None = None
    # What a client needs to do better, beside the standard body.
    told: Mapping[str, object] = {}
