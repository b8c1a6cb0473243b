"""What takes two persons here: a higher limit.

The ledger raises it; whom that is about only a room knows that knows datasets.
"""

from uuid import UUID

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.meaning import weakening_of
from dpgov.budgets.services.raising import RAISE_LIMIT, raise_limit
from dpgov.datasets.lineage import protected_by
from dpgov.privacy.accounting.loss import PURE, Currency, Mode, parse_delta


def _raise_title(request: ChangeRequest) -> str:
    payload = request.payload
    pattern = gettext("Raise the limit of {about} from ε {before} to ε {after}")
    if "delta" in payload:
        pattern = gettext("Raise the limit of {about} from ε {before} to ε {after} at δ {delta}")
    return pattern.format(
        about=request.dataset or request.subject,
        before=payload["before_epsilon"],
        after=payload["after_epsilon"],
        delta=payload.get("delta"),
    )


def _raise_told(request: ChangeRequest) -> Told:
    payload = request.payload
    before, after = payload["before_epsilon"], payload["after_epsilon"]
    delta = payload.get("delta", "")
    pattern = gettext("ε {epsilon} at δ {delta}") if delta else "ε {epsilon}"
    was, will = (pattern.format(epsilon=epsilon, delta=delta) for epsilon in (before, after))
    return Told(
        [(gettext("Limit on ε"), was, will)],
        weakening_of(
            (before, after),
            (payload["before_nano"], payload["after_nano"]),
            Currency(Mode.ZCDP, parse_delta(delta)) if delta else PURE,
            protected_by(UUID(payload["budget"])),
        ),
    )


CHANGES = (
    ChangeKind(
        RAISE_LIMIT,
        _("Raise a limit"),
        carry_out=raise_limit,
        title=_raise_title,
        describe=_raise_told,
    ),
)
