"""Leaving a registration and coming back, and its last look: the privacy label before it counts."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dpgov.datasets import services
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Upload
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.datasets.web.forms.filling import around_the_grid
from dpgov.datasets.web.forms.importing import forget
from dpgov.datasets.web.forms.registration import RegistrationForm
from dpgov.language.translation import translated
from dpgov.operation.middleware import drops_nul
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, requires
from dpgov.web.pages import show_page

_MOVED, _TOO_LARGE = 409, 413


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_POST
def save_draft(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Keep what stands in the form, right or wrong, for another day."""
    chosen = upload_or_404(request, upload_id)
    if "by-itself" in request.GET:
        return _saved_by_itself(request, chosen)
    try:
        services.keep_draft(upload=chosen, typed=request.POST)
    except services.UploadUsed:
        return used(request)
    except services.DraftTooLarge as refusal:
        messages.error(request, str(refusal))
        return redirect("datasets:register", upload_id)
    forget(request)
    messages.success(request, _("Saved. You find it again under your uploaded files."))
    return redirect("datasets:list")


def _saved_by_itself(request: HttpRequest, chosen: Upload) -> HttpResponse:
    """For the form's script, which says when it was kept, or why it was not."""
    try:
        seen = services.keep_draft(
            upload=chosen, typed=request.POST, seen=request.POST.get("draft_seen")
        )
    except services.DraftMoved as refusal:
        return JsonResponse({"refused": str(refusal)}, status=_MOVED)
    except services.DraftTooLarge as refusal:
        return JsonResponse({"refused": str(refusal)}, status=_TOO_LARGE)
    except services.UploadUsed:
        gone = _("This file was registered or discarded before.")
        return JsonResponse({"refused": gone}, status=_MOVED)
    return JsonResponse({"seen": seen})


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_POST
def review(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """The label as everybody will see it. It is kept as a draft; nothing is registered yet."""
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    form = RegistrationForm(chosen.headers, request.POST)
    declaration = _declared(request, chosen, form)
    if declaration is None:
        context = {
            "upload": chosen,
            "form": form,
            "problems": list(form.problems()),
            **around_the_grid(request, chosen),
        }
        return show_page(request, "datasets/registering/register.html", context, refused=True)
    forget(request)
    declared = services.as_declared(chosen, declaration)
    kept = {column.name for column in declared.columns}
    context = {
        "upload": chosen,
        "declared": declared,
        "left_out": [name for name in chosen.headers if name not in kept],
        "fields": services.typed_in(request.POST).items(),
    }
    return render(request, "datasets/registering/review.html", context)


def _declared(request: HttpRequest, chosen: Upload, form: RegistrationForm) -> Declaration | None:
    """What was declared, kept as a draft; None where the form says why it is refused."""
    if not form.is_valid():
        return None
    try:
        declaration = form.declaration()
        declaration.check(chosen.headers)
        services.check_key(chosen, declaration.schema.unit.private_id)
        services.keep_draft(upload=chosen, typed=request.POST)
    except InvalidDomain as problem:
        form.refuse(translated(problem.args[0]), field=problem.field)
        return None
    except services.DraftTooLarge as refusal:
        form.refuse(str(refusal))
        return None
    return declaration
