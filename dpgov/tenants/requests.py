"""What a guarded page receives: a request whose person and membership are known."""

from django.http import HttpRequest

from dpgov.tenants.models import Membership, User


class MemberRequest(HttpRequest):
    """A request that passed `permissions.requires`; a type for readers, never constructed."""

    user: User
    membership: Membership
