"""What takes two persons here: a higher limit, and who shares one."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.approvals.kinds import ChangeKind, Second, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets import shared_budget_words as words
from dpgov.budgets.meaning import weakening_of
from dpgov.budgets.services import agreed
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.raising import RAISE_LIMIT, raise_limit
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
    ChangeKind(
        agreed.MERGE_SHARED_BUDGETS,
        _("Merge two shared budgets"),
        carry_out=agreed.merge_as_agreed,
        title=words.merge_title,
        describe=words.merge_told,
        second=Second.OFFICER_OR_OWNER,
    ),
    ChangeKind(
        agreed.SPLIT_SHARED_BUDGET,
        _("Divide a shared budget"),
        carry_out=agreed.split_as_agreed,
        title=words.divide_title,
        describe=words.divide_told,
        second=Second.OFFICER_OR_OWNER,
    ),
    ChangeKind(
        agreed.LEAVE_SHARED_BUDGET,
        _("Take a dataset out of a shared budget"),
        carry_out=agreed.leave_as_agreed,
        title=words.divide_title,
        describe=words.divide_told,
        second=Second.OFFICER_OR_OWNER,
    ),
    ChangeKind(
        agreed.INVITE_TO_SHARE,
        _("Share a budget with another organisation"),
        carry_out=agreed.invite_as_agreed,
        title=words.share_title,
        describe=words.share_told,
        second=Second.OFFICER_OR_OWNER,
    ),
    ChangeKind(
        ACCEPT_SHARED_BUDGET,
        _("Share another organisation's budget"),
        carry_out=agreed.accept_as_agreed,
        title=words.accept_title,
        describe=words.accept_told,
        second=Second.OFFICER_OR_OWNER,
    ),
)
