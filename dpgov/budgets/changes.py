"""What takes two persons here: who shares a budget. Raising one is told by `limits.changes`."""

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.approvals.kinds import ChangeKind, Second
from dpgov.budgets import shared_budget_words as words
from dpgov.budgets.services import agreed
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET

CHANGES = (
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
        # Those that shall share it, not the budget of the other organisation.
        about=lambda request: Q(budget__in=request.payload["dataset_budgets"]),
    ),
)
