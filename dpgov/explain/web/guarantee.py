"""What the guarantee of a dataset means for people, and how other accounts would put it.

Functions of the declarations and of what was booked; never of data.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from dpgov.budgets.meaning import certainty_text, factor_text, whom
from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.explain.comparison import compare
from dpgov.explain.figures.guarantee import by_method, certainty_by_size
from dpgov.explain.groups import (
    Certainty,
    GroupReading,
    certainties,
    group_readings,
    group_readings_in_rho,
    setting_cost,
)
from dpgov.explain.web.forms import DeltaForm, QuestionForm
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.tenants.permissions import Permission, requires
from dpgov.web.pages import show_page

_FAMILY = 4
_PRESENT = gettext_noop(
    "{whom}: who was 50% sure whether they are in the data may become {one} after one question at "
    "{price}, and {every} once the whole budget is spent."
)
_VALUED = gettext_noop(
    "{whom}: who was 50% sure may become {one} after one question at {price}, and {every} once "
    "the whole budget is spent."
)
_PURE = gettext_noop(
    "The ε of a group grows in step with its size: k units together have k times the ε of one. "
    "This is for all answers that the budget allows."
)
_IN_RHO = gettext_noop(
    "The ρ of a group grows with the square of its size: k units together have k² times the ρ of "
    "one. This is their ε at the dataset's δ, for all answers that the budget allows."
)


@requires(Permission.VIEW_DATASETS)
@require_safe
def group_privacy(request: HttpRequest, slug: str) -> HttpResponse:
    """What the guarantee means for groups of 1 to 20 units."""
    dataset = dataset_or_404(request, slug)
    form = QuestionForm(request.GET, dataset)
    question_nano = form.question_nano
    currency = dataset.budget.currency
    limit_nano = dataset.budget.limit_nano
    readings = _readings(dataset, question_nano)
    sure = certainties(
        limit_nano=limit_nano,
        question_nano=question_nano,
        setting=dataset.group_size,
        currency=currency,
    )
    size = _size(request, [one.size for one in sure])
    context: dict[str, Any] = {
        "dataset": dataset,
        "whom": whom(of_rows=not dataset.private_id),
        "protected": whom(dataset.group_size, of_rows=not dataset.private_id),
        "rows": list(zip(readings, sure, strict=True)),
        "form": form,
        "question_nano": question_nano,
        "odds_of_all": factor_text(limit_nano, currency),
        "posterior_of_all": certainty_text(limit_nano, currency),
        "odds_of_one": factor_text(question_nano, currency),
        "posterior_of_one": certainty_text(question_nano, currency),
        "epsilon_caption": _(_PURE if currency.delta is None else _IN_RHO),
        "figure": certainty_by_size(sure, size),
        "sizes": [one.size for one in sure],
        "size": size,
        "place": [one.size for one in sure].index(size),
        "said": [_said(dataset, one, question_nano) for one in sure],
        "said_now": next(_said(dataset, o, question_nano) for o in sure if o.size == size),
    }
    return show_page(request, "explain/group_privacy.html", context, refused=form.errors)


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    """What was charged, by other accounts, at the δ that the reader chooses."""
    dataset = dataset_or_404(request, slug)
    form = DeltaForm(request.GET, dataset)
    text = form["delta"].value()
    context: dict[str, Any] = {"dataset": dataset, "form": form, "delta_text": text}
    if not form.is_valid():
        return show_page(request, "explain/comparison.html", context, refused=form.errors)
    patient = "slow" in request.GET
    compared = compare(dataset.budget, form.cleaned_data["delta"], patient=patient)
    context |= {"comparison": compared, "chart": by_method(compared.figures, text)}
    is_part = patient and request.headers.get("HX-Request")
    return render(request, f"explain/{'_accounts' if is_part else 'comparison'}.html", context)


def _readings(dataset: Dataset, question_nano: int) -> list[GroupReading]:
    budget = dataset.budget
    if budget.target_nano is None:
        return group_readings(
            limit_nano=budget.limit_nano,
            question_nano=question_nano,
            setting=dataset.group_size,
            rows_per_unit=dataset.max_rows_per_unit,
        )
    return group_readings_in_rho(
        currency=budget.currency,
        limit_nano=budget.limit_nano,
        target_nano=budget.target_nano,
        question_nano=question_nano,
        setting=dataset.group_size,
        rows_per_unit=dataset.max_rows_per_unit,
    )


def _size(request: HttpRequest, sizes: list[int]) -> int:
    """The size to look at, by its place on the slider: a family where nothing else is asked for.

    The last place is the dataset's own setting where that is larger than the rest.
    """
    text = request.GET.get("size", "")
    place = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else _FAMILY
    return sizes[place - 1] if 1 <= place <= len(sizes) else _FAMILY


def _said(dataset: Dataset, sure: Certainty, question_nano: int) -> dict[str, Any]:
    """What the page says of a group of this size; the script takes it from here too.

    Where units come and go it is about their presence: another value of theirs is two steps away.
    """
    currency = dataset.budget.currency
    certain = _(_PRESENT if dataset.neighbouring == Neighbouring.ADD_REMOVE else _VALUED).format(
        whom=_whom(dataset, sure.size),
        one=sure.question_sure,
        price=question(question_nano, currency),
        every=sure.all_sure,
    )
    return {
        "size": sure.size,
        "shares": [float(sure.of_question), float(sure.of_all)],
        "certain": certain,
        "cost": _cost(dataset, sure.size, question_nano),
    }


def _whom(dataset: Dataset, size: int) -> str:
    if size == _FAMILY and dataset.private_id:
        return _("A family of four")
    return capfirst(whom(size, of_rows=not dataset.private_id))


def _cost(dataset: Dataset, size: int, question_nano: int) -> str:
    """What it would cost the next dataset to be declared for groups of this size."""
    setting = dataset.group_size
    if size == setting:
        return _("This dataset is declared for groups of {size}.").format(size=setting)
    cost = setting_cost(
        size,
        setting,
        dataset.budget.currency,
        question_nano=question_nano,
        rows_per_unit=dataset.max_rows_per_unit,
    )
    return _(
        "Declared for groups of {size} in place of {setting}, the next dataset would have noise "
        "{wider} times as wide at the same price; with the same error, {questions} questions would "
        "fit where 100 fit now."
    ).format(size=size, setting=setting, wider=f"{cost.wider:f}", questions=cost.questions)
