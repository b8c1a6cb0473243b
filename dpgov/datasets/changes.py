"""What takes two persons here: what becomes of a held dataset.

Told from the request's own payload: what the dataset resembles is on its page, for officers.
"""

from collections.abc import Callable

from django.db.models import F, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat, Replace
from django.db.models.lookups import In
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.held.deciding import (
    DISCARD_HELD_DATASET,
    RELEASE_HELD_DATASET,
    SHARE_HELD_DATASET_BUDGET,
    decide_as_agreed,
)
from dpgov.tenants.models import Membership, Role

_ITS_OWN, _NONE = _("its own"), _("none")
_ASKED_ABOUT, _DELETED = _("may be asked about"), _("deleted")


def _of_its_owner(membership: Membership) -> Q:
    """Officers see all, owners those about their own: what they see held (`held_datasets`)."""
    if membership.has(Role.OFFICER):
        return Q(tenant=membership.tenant_id)
    own = Dataset.objects.filter(tenant=membership.tenant_id, owner=membership.user_id)
    # Looked for in the database, and only for requests of these kinds: owners have thousands.
    key = _without_dashes(Cast("pk", TextField()))
    subject = Concat(Value("dataset:"), key, output_field=TextField())
    return Q(In(_without_dashes(F("subject")), own.order_by().values_list(subject)))


def _without_dashes(text: Combinable) -> Replace:
    """As one of the databases keeps an id, and the other does not."""
    return Replace(text, Value("-"), Value(""), output_field=TextField())


def _decision(
    value: str, label: Promise, *, state: Promise, budget: Promise, meaning: tuple[Promise, ...]
) -> ChangeKind:
    return ChangeKind(
        value,
        label,
        carry_out=decide_as_agreed,
        title=lambda request: f"{label}: {request.payload['name']}",
        describe=_teller(state, budget, meaning),
        seen=_of_its_owner,
    )


def _teller(
    state: Promise, budget: Promise, meaning: tuple[Promise, ...]
) -> Callable[[ChangeRequest], Told]:
    def told(request: ChangeRequest) -> Told:
        payload = request.payload
        rows = [
            (gettext("Dataset"), gettext("held for a compliance check"), str(state)),
            (gettext("Budget"), "–", payload.get("earlier_name", str(budget))),
        ]
        if not request.is_waiting:
            return Told(rows, meaning)
        return Told(rows, meaning, reverse("datasets:held", args=[payload["held_dataset"]]))

    return told


CHANGES = (
    _decision(
        RELEASE_HELD_DATASET,
        _("Open a held dataset to questions"),
        state=_ASKED_ABOUT,
        budget=_ITS_OWN,
        meaning=(
            _("The dataset gets a budget of its own, beside those of the data that it resembles."),
            _(
                "That is right only if it is about other people. For anyone who is in both, the "
                "losses of both budgets add up, and neither limit holds for them."
            ),
        ),
    ),
    _decision(
        SHARE_HELD_DATASET_BUDGET,
        _("Let a held dataset share an earlier budget"),
        state=_ASKED_ABOUT,
        budget=_ITS_OWN,
        meaning=(
            _(
                "From now on questions about either dataset are charged to the one budget, as far "
                "as it is spent. The people in both keep the protection that they were promised."
            ),
        ),
    ),
    _decision(
        DISCARD_HELD_DATASET,
        _("Discard a held dataset"),
        state=_DELETED,
        budget=_NONE,
        meaning=(
            _("The file is deleted, and nobody will ever ask about it."),
            _("Anyone who has the file may register it again; it is then compared again."),
            _(
                "If it could be asked about before, it is archived instead, and what was spent "
                "stays spent."
            ),
        ),
    ),
)
