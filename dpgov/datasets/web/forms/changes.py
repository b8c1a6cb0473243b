"""Forms about datasets that are registered already, or held."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.models import Budget
from dpgov.budgets.services.limits import remaining_under
from dpgov.budgets.web.forms import EpsilonField, count_in
from dpgov.budgets.words import limit_said
from dpgov.datasets.discarded import was_asked
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import same_name
from dpgov.datasets.services import LimitNotLowered
from dpgov.datasets.services.held.deciding import (
    DISCARD_HELD_DATASET,
    RELEASE_HELD_DATASET,
    SHARE_HELD_DATASET_BUDGET,
)
from dpgov.datasets.services.held.holds import possible_lenders
from dpgov.datasets.web.forms.dataset import access_field
from dpgov.language.translation import translated
from dpgov.web.picking import PickOne, Suggested
from dpgov.web.typed import Lines

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class NameForm(forms.Form):
    """A new name for a registered dataset."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("The address of its pages and its short name in the API stay as they are."),
    )

    def refuse(self, other: Dataset) -> None:
        """Two of one name cannot be told apart on a desk or in a filter."""
        self.add_error("name", translated(same_name(other)))


class DeleteDataForm(forms.Form):
    """The name of the dataset once more: nothing brings its data back."""

    name = forms.CharField(
        label=_("Type the name of the dataset to confirm"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("Type the name of the dataset.")},
    )

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._name = name

    def clean_name(self) -> str:
        """Refuses every other text."""
        typed: str = self.cleaned_data["name"]
        if typed.strip() != self._name.strip():
            raise forms.ValidationError(_("This is not its name. Nothing was deleted."))
        return typed


class AccessForm(forms.Form):
    """Who can ask about a dataset."""

    needs_allocation = access_field()


class PauseForm(forms.Form):
    """Why nobody may ask for a while."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        help_text=_("Everybody who may see the dataset reads it; it goes into the audit log."),
    )


class RetentionForm(forms.Form):
    """Until when the data is kept."""

    last_day = forms.DateField(
        label=_("Last day on which the data is kept"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=_("In UTC. Leave it empty to keep the data until someone deletes it."),
    )


class _PickDataset(PickOne):
    """One of the organisation's; an archived one may have left its short name to another."""

    def called(self, name: str) -> QuerySet[Dataset]:
        """The one that is there now, else those that were."""
        found = super().called(name)
        present = found.filter(archived_at__isnull=True)
        return present if present.exists() else found


class HeldDecisionForm(forms.Form):
    """What should become of a held dataset, and why.

    What was spent on one that could be asked about counts on: it takes over no other budget.
    """

    kind = forms.ChoiceField(label=_("What should happen?"), widget=forms.RadioSelect)
    earlier = _PickDataset(
        of=Suggested.DATASETS,
        by="slug",
        label=_("The dataset with the same people"),
        queryset=Dataset.objects.none(),
        required=False,
        empty_label=_("None"),
        help_text=_(
            "Only if it should share a budget. The limit and what is spent are those of this "
            "dataset."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        help_text=_("The person who decides reads it; it goes into the audit log."),
    )

    def __init__(self, data: Any = None, *, held: Dataset) -> None:
        super().__init__(data)
        self.counts_on = was_asked(held)
        decisions = _OF_ASKED if self.counts_on else _decisions(held)
        self.fields["kind"].choices = decisions  # type: ignore[attr-defined]
        if self.counts_on:
            del self.fields["earlier"]
        else:
            lenders = self.fields["earlier"]
            lenders.choose_from(possible_lenders(held))  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """A shared budget is somebody's."""
        shares = self.cleaned_data.get("kind") == SHARE_HELD_DATASET_BUDGET
        if shares and not self.cleaned_data.get("earlier") and "earlier" not in self.errors:
            self.add_error("earlier", _("Choose the dataset whose budget it should share."))
        return self.cleaned_data


_OF_ASKED = [
    (RELEASE_HELD_DATASET, _("It goes on, with the budget that it has")),
    (DISCARD_HELD_DATASET, _("It is archived: what was spent stays spent")),
]


def _decisions(held: Dataset) -> list[tuple[str, "StrOrPromise"]]:
    discarded = _("Discard it: the file is deleted for good")
    if held.live_id is not None:
        discarded = _("Discard it: its password is deleted, and the table may be registered anew")
    return [
        (RELEASE_HELD_DATASET, _("These are other people: it gets a budget of its own")),
        (SHARE_HELD_DATASET_BUDGET, _("These are the same people: it shares their budget")),
        (DISCARD_HELD_DATASET, discarded),
    ]


class DescriptionForm(forms.Form):
    """A new description of a registered dataset."""

    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=4000,
        widget=Lines(attrs={"rows": 5}),
    )


class LimitForm(forms.Form):
    """A lower limit, and why; `remaining_nano` is what it would leave.

    It is sent twice, since only two persons take it back: first to see what it means.
    """

    epsilon_limit = EpsilonField(label=_("New limit on ε"))
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        help_text=_("Goes into the audit log."),
    )

    def __init__(self, *args: Any, budget: Budget, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._budget, self.remaining_nano = budget, 0
        count_in(self, budget.currency)

    def clean_epsilon_limit(self) -> int:
        """Refuses what is not lower, and what is committed already."""
        wanted: int = self.cleaned_data["epsilon_limit"]
        try:
            self.remaining_nano = remaining_under(self._budget, wanted)
        except LedgerRefusal as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        if wanted >= self._budget.limit_epsilon_nano:
            raise forms.ValidationError(str(LimitNotLowered(limit=limit_said(self._budget))))
        return wanted

    @property
    def wanted_nano(self) -> int | None:
        """The new limit, once nothing speaks against it."""
        return self.cleaned_data["epsilon_limit"] if self.is_bound and self.is_valid() else None

    @property
    def is_confirmed(self) -> bool:
        """Whether it is sent from the page that said what this very limit means."""
        return self.wanted_nano is not None and self.data.get("confirmed") == str(self.wanted_nano)
