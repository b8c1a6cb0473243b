"""The page of a dataset's policy: its owner's rules for questions, and permits for larger ones."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import services
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import own_rules_of
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.web.forms.policy import TEMPLATES, PermitForm, PolicyForm, template
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, slug: str) -> HttpResponse:
    """See and change the rules; a template only fills the form."""
    dataset = dataset_or_404(request, slug)
    budget, before = dataset.budget, own_rules_of(dataset)
    if request.method != "POST":
        filled = template(request.GET.get("template", ""), budget.limit_epsilon_nano)
        return _page(request, dataset, PolicyForm(budget=budget, before=before, initial=filled))
    form = PolicyForm(request.POST, budget=budget, before=before)
    if form.is_valid():
        user = membership_of(request).user
        try:
            services.change_policy(dataset=dataset, rules=form.rules(), user=user)
        except (services.QuestionAboveLimit, services.QuestionBelowLeast) as refusal:
            form.add_error("per_query", str(refusal))
        except (services.LeastPriceTooHigh, services.LeastPriceTooLow) as refusal:
            form.add_error("least_price", str(refusal))
        else:
            messages.success(request, _("The policy holds from the next question on."))
            return redirect("datasets:policy", slug)
    return _page(request, dataset, form)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def permit(request: HttpRequest, slug: str) -> HttpResponse:
    """Let one person ask larger questions for a while."""
    dataset, membership = dataset_or_404(request, slug), membership_of(request)
    form = PermitForm(request.POST, dataset=dataset, owner=membership.user)
    if not form.is_valid():
        return _permit_refused(request, dataset, form)
    data = form.cleaned_data
    try:
        services.permit(
            dataset=dataset,
            user=data["person"].user,
            limit_nano=dataset.budget.currency.price_of(data["limit"]),
            last_day=data["last_day"],
            owner=membership.user,
            reason=data["reason"],
        )
    except services.OwnPermit as refusal:
        form.add_error("person", str(refusal))
        return _permit_refused(request, dataset, form)
    except services.PermitOver as refusal:
        form.add_error("last_day", str(refusal))
        return _permit_refused(request, dataset, form)
    permitted = _("{person} may ask larger questions now.")
    messages.success(request, permitted.format(person=data["person"].user))
    return redirect("datasets:policy", slug)


def _permit_refused(request: HttpRequest, dataset: Dataset, form: PermitForm) -> HttpResponse:
    policy = PolicyForm(budget=dataset.budget, before=own_rules_of(dataset))
    return _page(request, dataset, policy, form)


def _page(
    request: HttpRequest, dataset: Dataset, form: PolicyForm, permit: PermitForm | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "dataset": dataset,
        "form": form,
        "permit": permit or PermitForm(dataset=dataset, owner=membership_of(request).user),
        "permits": services.permits_of(dataset),
        "templates": [(name, row[0]) for name, row in TEMPLATES.items()],
    }
    refused = form.errors or (permit is not None and permit.errors)
    return show_page(request, "datasets/policy.html", context, refused=refused)
