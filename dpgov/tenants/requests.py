"""What a guarded door receives: a request whose person and membership are known."""

from typing import cast

from django.http import HttpRequest
from rest_framework.request import Request

from dpgov.tenants.models import Membership, User


class MemberRequest(HttpRequest):
    """A request that passed `permissions.requires`; a type for readers, never constructed."""

    user: User
    membership: Membership


class MemberApiRequest(Request):
    """An API request that passed `permissions.HasMembership`; a type, never constructed."""

    user: User
    membership: Membership


def membership_of(request: HttpRequest | Request) -> Membership:
    """The membership that a page's or the API's guard has found."""
    return cast(Membership, request.membership)  # type: ignore[union-attr]
