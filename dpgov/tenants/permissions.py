"""Which role may do what: one table, read by pages, the API and the tests.

And what a guarded door receives: a request whose person and membership are known.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

from django.contrib.auth import get_user
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from dpgov.tenants.models import Membership, Role, User

if TYPE_CHECKING:
    # rest_framework.views imports this module while it is being imported itself.
    from rest_framework.views import APIView

P = ParamSpec("P")


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


class Permission(StrEnum):
    """An ability that a role may have within its tenant."""

    VIEW_DATASETS = gettext_noop("see datasets and their budgets")
    REGISTER_DATASETS = gettext_noop("register datasets and change their limits")
    SUBMIT_QUERIES = gettext_noop("ask questions")
    CANCEL_QUESTIONS = gettext_noop("cancel questions")
    ACCEPT_TERMS = gettext_noop("accept terms of use")
    VIEW_ALL_QUERIES = gettext_noop("see everybody's questions and answers")
    VIEW_SPLIT_BY_ANALYST = gettext_noop("see who spent how much")
    READ_AUDIT_LOG = gettext_noop("read and verify the audit log")
    MANAGE_MEMBERS = gettext_noop("manage members")
    MANAGE_PROJECTS = gettext_noop("manage projects")
    REQUEST_CHANGES = gettext_noop("request changes that need two persons")
    DECIDE_CHANGES = gettext_noop("decide requested changes")
    VIEW_SHARED_BUDGETS = gettext_noop("see shared budgets")
    USE_API = gettext_noop("use the API")
    MANAGE_WEBHOOKS = gettext_noop("manage webhooks")
    MAKE_SURVEYS = gettext_noop("make surveys")
    VIEW_SURVEYS = gettext_noop("see surveys")


_EVERYBODY = frozenset(Role)
ALLOWED: dict[Permission, frozenset[Role]] = {
    Permission.VIEW_DATASETS: _EVERYBODY,
    Permission.REGISTER_DATASETS: frozenset({Role.OWNER}),
    Permission.SUBMIT_QUERIES: frozenset({Role.ANALYST}),
    # Who asked it, and who governs its dataset: `answering.cancelling` says which.
    Permission.CANCEL_QUESTIONS: frozenset({Role.ANALYST, Role.OWNER}),
    # An owner asks too: how many rows people have.
    Permission.ACCEPT_TERMS: frozenset({Role.ANALYST, Role.OWNER}),
    Permission.VIEW_ALL_QUERIES: frozenset({Role.OWNER, Role.OFFICER}),
    Permission.VIEW_SPLIT_BY_ANALYST: frozenset({Role.OWNER, Role.OFFICER}),
    Permission.READ_AUDIT_LOG: frozenset({Role.OFFICER}),
    Permission.MANAGE_MEMBERS: frozenset({Role.ADMIN}),
    Permission.MANAGE_PROJECTS: frozenset({Role.OWNER}),
    Permission.REQUEST_CHANGES: frozenset({Role.OWNER, Role.OFFICER}),
    Permission.DECIDE_CHANGES: frozenset({Role.OFFICER}),
    Permission.VIEW_SHARED_BUDGETS: frozenset({Role.OWNER, Role.OFFICER}),
    Permission.USE_API: _EVERYBODY,
    Permission.MANAGE_WEBHOOKS: frozenset({Role.ADMIN}),
    Permission.MAKE_SURVEYS: frozenset({Role.OWNER}),
    Permission.VIEW_SURVEYS: frozenset({Role.OWNER, Role.OFFICER, Role.ANALYST}),
}


def may(membership: Membership | None, permission: Permission) -> bool:
    """Whether one of this membership's roles has the permission."""
    return membership is not None and role_for(membership, permission) is not None


def role_for(membership: Membership, permission: Permission) -> Role | None:
    """In which of their roles a person does this; None where none of them lets them."""
    return next((role for role in membership.roles if role in ALLOWED[permission]), None)


def abilities(membership: Membership | None) -> dict[str, bool]:
    """What this membership may do, by the permissions' names in small letters, as pages ask."""
    return {permission.name.lower(): may(membership, permission) for permission in ALLOWED}


def requires(
    permission: Permission,
) -> Callable[
    [Callable[Concatenate[MemberRequest, P], HttpResponseBase]],
    Callable[Concatenate[HttpRequest, P], HttpResponseBase],
]:
    """Guard a page: sign in first, then 403 for a role that lacks the permission.

    Looks at the role only; whether the thing asked for is of this tenant is the selector's part.
    """

    def guard(
        view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(view)
        def guarded(request: MemberRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            _refuse_unless(getattr(request, "membership", None), permission)
            return view(request, *args, **kwargs)

        return login_required(guarded)  # type: ignore[return-value]

    return guard


def requires_still(
    permission: Permission,
) -> Callable[
    [Callable[Concatenate[HttpRequest, P], HttpResponseBase]],
    Callable[Concatenate[HttpRequest, P], HttpResponseBase],
]:
    """Guard what a door does with a body that it streams: asks again after its last byte.

    Session, person and role, as they are in the database by then; 403 where one of them is gone.
    Every other door has the whole body before it asks (`operation.middleware.WholeBodyMiddleware`).
    """

    def guard(
        view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if request.method == "POST":
                _ = request.POST  # reads the files too
                now = request.membership = _membership_now(request)  # type: ignore[attr-defined]
                _refuse_unless(now, permission)
            return view(request, *args, **kwargs)

        return guarded  # type: ignore[return-value]

    return guard


def _refuse_unless(membership: Membership | None, permission: Permission) -> None:
    if not may(membership, permission):
        text = _("Your role does not let you {do_this}.")
        raise PermissionDenied(text.format(do_this=_(permission.value)))


def _membership_now(request: HttpRequest) -> Membership | None:
    """That of this request, read once more; None where it or its session has ended."""
    if not request.session.exists(request.session.session_key or ""):
        return None
    person = get_user(request)
    members = Membership.objects.select_related("tenant", "user")
    members = members.filter(pk=membership_of(request).pk, user=person.pk)
    return members.first() if person.is_authenticated else None


class HasMembership(BasePermission):
    """API guard: a token of a membership whose role has the view's `permission`.

    A view names it as `permission = Permission.X`, or by method as
    `permission = {"GET": Permission.X, "POST": Permission.Y}`.
    """

    message = "Your role does not let you do this."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        wanted: Any = getattr(view, "permission", Permission.VIEW_DATASETS)
        if isinstance(wanted, dict):
            wanted = wanted.get(request.method, Permission.VIEW_DATASETS)
        self.message = f"Your role does not let you {wanted.value}."
        return may(getattr(request, "membership", None), wanted)
