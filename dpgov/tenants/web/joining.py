"""The door that the link in a letter opens, and what stands behind it for who has just come in."""

from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.tenants import joining as service
from dpgov.tenants.chosen import choose
from dpgov.tenants.invitations import InvitationRefused
from dpgov.tenants.models import Role
from dpgov.tenants.practising import let_in_newcomer
from dpgov.tenants.services import AlreadyMember
from dpgov.tenants.web.forms import JoinForm
from dpgov.web.pages import show_page

_JOINED = "joined"


@dataclass(frozen=True, slots=True)
class FirstStep:
    """What a role is for, and what one does first with it, at which page."""

    meaning: Promise
    text: Promise
    page: str


FIRST_STEPS = {
    Role.OWNER: FirstStep(
        gettext_lazy(
            "You register datasets, decide what may be asked about them and how much, and answer "
            "requests for budget."
        ),
        gettext_lazy("Register a dataset"),
        "datasets:upload",
    ),
    Role.ANALYST: FirstStep(
        gettext_lazy(
            "You ask questions of data that nobody shows you. Each answer has a price, which you "
            "see before you pay it."
        ),
        gettext_lazy("Find a dataset, and try a question on invented rows: it costs nothing"),
        "datasets:list",
    ),
    Role.OFFICER: FirstStep(
        gettext_lazy(
            "You read the log of everything that happens, and decide as the second person what "
            "takes two."
        ),
        gettext_lazy("See what waits for your decision"),
        "oversight:approvals",
    ),
    Role.ADMIN: FirstStep(
        gettext_lazy("You invite people and give them their roles. You ask no questions."),
        gettext_lazy("Invite your colleagues"),
        "people:members",
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What the invitation is to, and the step that accepts it."""
    try:
        invited = service.look_at(token)
    except InvitationRefused as refusal:
        return render(request, "tenants/join.html", {"refusal": str(refusal)}, status=410)
    form = JoinForm(request.POST or None) if invited.needs_password else None
    if request.method == "POST" and (form is None or form.is_valid()):
        return _accept(request, token, invited, form)
    return _page(request, invited, form)


def _accept(
    request: HttpRequest, token: str, invited: service.Invited, form: JoinForm | None
) -> HttpResponse:
    typed = form.cleaned_data if form else {}
    try:
        membership = service.accept(
            token=token,
            person=request.user,
            name=typed.get("name", ""),
            password=typed.get("password", ""),
        )
    except ValidationError as refusal:
        if form is not None:
            form.add_error("password", refusal)
        return _page(request, invited, form)
    except (InvitationRefused, service.SignInFirst, AlreadyMember) as refusal:
        return _page(request, invited, form, refusal=str(refusal))
    let_in_newcomer(membership)
    if form is None:
        choose(request, membership)
    # Who has no account yet has no session of their own either: what they just read is kept in it.
    request.session[_JOINED] = {
        "organisation": membership.tenant.name,
        "role": membership.role,
        "email": invited.email,
        "invited_by": invited.invited_by,
    }
    return redirect("tenants:welcome")


@require_safe
def welcome(request: HttpRequest) -> HttpResponse:
    """Where somebody has come to, as what, and what to do first; after joining, and never else."""
    joined = request.session.get(_JOINED)
    somebody_else = request.user.is_authenticated and request.user.email != (joined or {}).get(
        "email"
    )
    if not joined or somebody_else:
        return redirect(settings.LOGIN_REDIRECT_URL)
    role = Role(joined["role"])
    first = FIRST_STEPS[role]
    context = {
        "joined": joined,
        "role": role,
        "first": first,
        "page": reverse(first.page),
        "needs_factor": role in settings.DPGOV_MFA_REQUIRED,
    }
    return render(request, "tenants/welcome.html", context)


def _page(
    request: HttpRequest, invited: service.Invited, form: JoinForm | None, refusal: str = ""
) -> HttpResponse:
    email = getattr(request.user, "email", "")
    context = {
        "invited": invited,
        "form": form,
        "refusal": refusal,
        "is_them": email.lower() == invited.email,
    }
    return show_page(
        request, "tenants/join.html", context, refused=refusal or (form and form.errors)
    )
