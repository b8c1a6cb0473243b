"""What people type about shared budgets; each form keeps it when something is refused."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.models import Budget
from dpgov.budgets.web.forms import EpsilonField, check_delta, delta_field, mode_field
from dpgov.budgets.words import amount, limit_text
from dpgov.datasets.models import Dataset
from dpgov.limits.shared_budgets import Named, candidates, named
from dpgov.tenants.models import Tenant
from dpgov.web.picking import PickSeveral, Suggested
from dpgov.web.typed import Lines

_CHOOSE = _("Choose a dataset.")
_CODE = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}


def _reason() -> forms.CharField:
    return forms.CharField(
        max_length=500,
        widget=Lines({"rows": 2}),
        label=_("Reason"),
        help_text=_(
            "Why are these the same people, or not? The officer who decides reads it, and it goes "
            "into the audit log."
        ),
        error_messages={"required": _("Give a reason. It goes into the audit log.")},
    )


class OpenSharedBudgetForm(forms.Form):
    """A name, how losses add up, and a limit."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("The people, not the files: “Residents of Harbour”."),
    )
    mode = mode_field(_("Datasets that add up losses in the same way can share it."))
    delta = delta_field()
    epsilon_limit = EpsilonField(
        label=_("Limit on ε for these people"),
        help_text=_(
            "Everything that is ever released about them, from all datasets that share this, never "
            "passes it. Take the smallest limit of those datasets if in doubt."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """zCDP has a δ."""
        check_delta(self)
        return self.cleaned_data


class OneDatasetForm(forms.Form):
    """One of the datasets that could join, by its budget."""

    dataset = forms.UUIDField(error_messages=dict.fromkeys(("required", "invalid"), _CHOOSE))

    def __init__(self, *args: Any, candidates: QuerySet[Dataset], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._candidates = candidates

    def clean_dataset(self) -> Dataset:
        """The dataset itself."""
        found = self._candidates.filter(budget=self.cleaned_data["dataset"]).first()
        if found is None:
            raise forms.ValidationError(_CHOOSE)
        return found


class DivideForm(forms.Form):
    """Which datasets go, under which name."""

    datasets = forms.MultipleChoiceField(
        label=_("Datasets that leave"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": _("Choose at least one dataset."),
            "invalid_choice": _("Choose from the datasets in the list."),
        },
    )
    name = forms.CharField(label=_("Name of the new shared budget"), max_length=120)
    reason = _reason()

    def __init__(self, *args: Any, named: Sequence[Named], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["datasets"].choices = _choices(named)  # type: ignore[attr-defined]

    def chosen(self) -> list[UUID]:
        """The budgets of the chosen datasets."""
        return [UUID(text) for text in self.cleaned_data["datasets"]]


class MergeForm(forms.Form):
    """Which other shared budget ends in this one."""

    other = forms.ChoiceField(
        label=_("Shared budget that ends"),
        error_messages={
            "required": _("Choose one."),
            "invalid_choice": _("Choose one from the list."),
        },
    )
    reason = _reason()

    def __init__(self, *args: Any, others: Iterable[Budget], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].choices = [  # type: ignore[attr-defined]
            (str(each.pk), f"{each.label} ({limit_text(each)})") for each in others
        ]


class ShareForm(forms.Form):
    """Why another organisation should share the budget."""

    reason = _reason()


class SharedBudgetCodeForm(forms.Form):
    """The code that another organisation gave."""

    code = forms.CharField(
        label=_("Code"),
        max_length=80,
        widget=forms.TextInput(_CODE),
        help_text=_("Six groups of four letters and digits."),
        error_messages={"required": _("Enter the code.")},
    )


class _OwnDatasets(PickSeveral):
    """Datasets that share nothing yet, each with all that use its budget."""

    tenant: Tenant

    def labels(self, rows: Sequence[Dataset]) -> list[str]:
        """With what would be carried over."""
        return [_with_amount(one) for one in named(self.tenant, rows)]

    def called(self, name: str) -> QuerySet[Dataset]:
        """By the short name of any that uses the budget."""
        present = Dataset.objects.filter(archived_at__isnull=True, slug__iexact=name)
        found: QuerySet[Dataset] = self.queryset.filter(budget__in=present.values("budget"))
        return found


class AcceptSharedBudgetForm(forms.Form):
    """The code once more, own datasets about the same people, and why they are."""

    code = forms.CharField(max_length=80, widget=forms.HiddenInput)
    datasets = _OwnDatasets(
        label=_("Your datasets about these people"),
        of=Suggested.DATASETS,
        by="slug",
        queryset=Dataset.objects.none(),
        to_field_name="budget_id",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": _("Choose at least one dataset."),
            "invalid_choice": _("Choose from the datasets in the list."),
            "invalid_pk_value": _("Choose from the datasets in the list."),
        },
    )
    reason = _reason()

    def __init__(self, *args: Any, tenant: Tenant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["datasets"]
        field.tenant = tenant
        field.choose_from(candidates(tenant))

    def budgets(self) -> list[Budget]:
        """Those of the chosen datasets, by name."""
        return [dataset.budget for dataset in self.cleaned_data["datasets"]]


def _choices(named: Sequence[Named]) -> list[tuple[str, str]]:
    return [(str(each.budget.pk), _with_amount(each)) for each in named]


def _with_amount(each: Named) -> str:
    committed = amount(each.budget.committed_nano, each.budget.currency)
    words = gettext("%(names)s (%(amount)s committed)")
    return words % {"names": each.names, "amount": committed}
