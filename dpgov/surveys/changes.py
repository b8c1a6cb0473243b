"""What takes two persons here: a survey that charges a budget which others ask on."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Budget
from dpgov.budgets.services.surveys import OPEN_SURVEY
from dpgov.budgets.words import amount
from dpgov.surveys.services.opening import open_as_agreed


def _title(request: ChangeRequest) -> str:
    return _("Open the survey “%(question)s” on the shared budget “%(name)s”") % {
        "question": request.payload["question"],
        "name": request.payload["name"],
    }


def _told(request: ChangeRequest) -> Told:
    payload = request.payload
    budget = Budget.objects.filter(pk=payload["budget"]).first()
    rows = [(_("Survey"), _("draft"), _("open"))]
    if budget is not None:
        after = budget.committed_nano + payload["charged_nano"]
        rows.append(
            (
                _("Committed in “%(name)s”") % {"name": payload["name"]},
                amount(budget.committed_nano, budget.currency),
                amount(after, budget.currency),
            )
        )
    return Told(
        rows,
        [
            _(
                "Each person who answers loses ε %(epsilon)s once. It is charged now, for all of "
                "them, and is not given back if few answer."
            )
            % {"epsilon": payload["epsilon"]},
            _("Answers are randomised before they are sent. Taking part is not hidden."),
        ],
    )


CHANGES = (
    ChangeKind(
        OPEN_SURVEY,
        gettext_lazy("Open a survey on a shared budget"),
        carry_out=open_as_agreed,
        title=_title,
        describe=_told,
    ),
)
