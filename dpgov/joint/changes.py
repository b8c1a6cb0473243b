"""What takes two persons here: that a dataset takes part in a joint question."""

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.joint.installed import JOIN_JOINT
from dpgov.joint.selectors import joint_questions_in
from dpgov.joint.services.parties import join_as_agreed
from dpgov.joint.wording import asked_words
from dpgov.tenants.permissions import Permission


def _title(request: ChangeRequest) -> str:
    return _("Take part in the joint question “%(title)s” with “%(name)s”") % {
        "title": request.payload["title"],
        "name": request.payload["name"],
    }


def _told(request: ChangeRequest) -> Told:
    payload = request.payload
    rows = [
        (_("Joint question"), _("not taking part"), _("taking part")),
        (_("Question"), "", asked_words(payload["plan"])),
    ]
    found = Dataset.objects.filter(pk=payload["dataset"]).select_related("budget").first()
    if found is not None:
        budget = found.budget
        after = budget.committed_nano + payload["cost_nano"]
        rows.append(
            (
                _("Committed in “%(name)s”") % {"name": payload["name"]},
                amount(budget.committed_nano, budget.currency),
                amount(after, budget.currency),
            )
        )
    numbers = {"parties": payload["parties"], "colluders": payload["colluders"]}
    return Told(
        rows,
        [
            _(
                "The total of %(parties)s organisations is released to all of them; no number of "
                "one organisation alone is seen by anybody."
            )
            % numbers,
            _(
                "This holds as long as no more than %(colluders)s of them collude. An organisation "
                "that gives wrong numbers cannot be found."
            )
            % numbers,
            _(
                "The price is reserved now. It comes back if the question is not opened, and is "
                "charged from the opening on, even if an organisation then never answers."
            ),
        ],
        see=_page_of(request),
    )


def _page_of(request: ChangeRequest) -> str:
    """That of the joint question, which only those see who proposed it or are in it."""
    asked = request.payload["question"]
    seen = joint_questions_in(request.tenant_id).filter(pk=asked).exists()
    return reverse("joint:detail", args=[asked]) if seen else ""


CHANGES = (
    ChangeKind(
        JOIN_JOINT,
        gettext_lazy("Take part in a joint question"),
        carry_out=join_as_agreed,
        title=_title,
        describe=_told,
        asked_with=Permission.REGISTER_DATASETS,
        # Its subject is nobody's alone.
        about=lambda request: Q(pk=request.payload["dataset"]),
    ),
)
