"""How the officer's pages say what happened. The stored code stands beside the words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dpgov.audit.actions import Action

WORDS: dict[Action, str | Promise] = {
    Action.TENANT_CREATED: _("Organisation created"),
    Action.MEMBER_ADDED: _("Member added"),
    Action.MEMBER_ROLE_CHANGED: _("Role of a member changed"),
    Action.MEMBER_REMOVED: _("Member removed"),
    Action.TOKEN_CREATED: _("API token created"),
    Action.TOKEN_REVOKED: _("API token revoked"),
    Action.FILE_UPLOADED: _("File uploaded"),
    Action.UPLOAD_DISCARDED: _("Uploaded file discarded"),
    Action.DATASET_REGISTERED: _("Dataset registered"),
    Action.DATASET_VERSION_ADDED: _("New version of a dataset added"),
    Action.DATASET_DESCRIBED: _("Dataset description changed"),
    Action.DATASET_ARCHIVED: _("Dataset archived"),
    Action.DATASET_DATA_DELETED: _("Data of an archived dataset deleted"),
    Action.BUDGET_ALLOCATED: _("Allocation granted"),
    Action.BUDGET_LIMIT_CHANGED: _("Budget limit changed"),
    Action.QUERY_SUBMITTED: _("Question asked"),
    Action.QUERY_EXTENDED: _("Question took longer than its class, charged"),
    Action.QUERY_RELEASED: _("Answer released"),
    Action.QUERY_FAILED: _("Question failed, charged"),
    Action.QUERY_VOIDED: _("Question not run, not charged"),
    Action.QUERY_EXPIRED: _("Question expired, not charged"),
    Action.AUDIT_LOG_EXPORTED: _("Audit log exported"),
    Action.AUDIT_LOG_VERIFIED: _("Audit log verified"),
    Action.BUDGET_RATE_CHANGED: _("Rate limit of a budget changed"),
    Action.BUDGET_CLOSED: _("Budget closed"),
    Action.BUDGET_CONFIRMED: _("Frozen budget confirmed"),
    Action.DATASETS_FROZEN: _("Datasets frozen"),
    Action.ALLOCATION_WITHDRAWN: _("Allocation withdrawn"),
    Action.ALLOCATION_RULE_CHANGED: _("Rule about allocations changed"),
    Action.CHECKPOINT_KEY_CHANGED: _("Key of the checkpoints changed"),
    Action.PROJECT_CREATED: _("Project created"),
    Action.PROJECT_MEMBER_ADDED: _("Person added to a project"),
    Action.PROJECT_MEMBER_REMOVED: _("Person taken off a project"),
    Action.PROJECT_ENDED: _("Project ended"),
    Action.CHANGE_REQUESTED: _("Change requested"),
    Action.CHANGE_APPROVED: _("Change approved and carried out"),
    Action.CHANGE_REJECTED: _("Change rejected"),
    Action.CHANGE_WITHDRAWN: _("Request for a change withdrawn"),
    Action.CHANGE_LAPSED: _("Request for a change out of date"),
    Action.SHARED_BUDGET_OPENED: _("Shared budget opened"),
    Action.SHARED_BUDGET_JOINED: _("Dataset joined a shared budget"),
    Action.DATASET_HELD: _("Dataset held for a compliance check"),
    Action.DATASET_RENAMED: _("Dataset renamed"),
    Action.QUERY_REUSED: _("Question answered for free out of stored answers"),
    Action.BUDGET_REQUESTED: _("Analyst asked for budget"),
    Action.BUDGET_REQUEST_DECLINED: _("Request for budget declined"),
    Action.BUDGET_REQUEST_WITHDRAWN: _("Request for budget withdrawn"),
    Action.BUDGET_REQUEST_LAPSED: _("Request for budget out of date"),
    Action.WEBHOOK_ADDED: _("Webhook added"),
    Action.WEBHOOK_SECRET_CHANGED: _("Secret of a webhook changed"),
    Action.WEBHOOK_REMOVED: _("Webhook removed"),
    Action.INVITATION_SENT: _("Person invited"),
    Action.INVITATION_ACCEPTED: _("Invitation accepted"),
    Action.INVITATION_REVOKED: _("Invitation taken back"),
    Action.INVITATION_LINK_MADE: _("Link of an invitation made on the command line"),
    Action.PASSWORD_LINK_MADE: _("Link for a new password made on the command line"),
    Action.POLICY_CHANGED: _("Policy for questions changed"),
    Action.QUESTIONS_PERMITTED: _("Larger questions permitted to a person"),
    Action.DATASET_LOOKED_AT: _("New data looked at"),
    Action.DATASET_PAUSED: _("Dataset paused by an officer"),
    Action.NEW_DATA_RULE_CHANGED: _("Rule about new data changed"),
    Action.COMPARING_AGREED: _("Comparing data with another organisation agreed to"),
    Action.COMPARING_ENDED: _("Agreement to compare data ended"),
}
_BY_CODE = {action.value: words for action, words in WORDS.items()}


def in_words(code: str) -> str:
    """The action in words; a code that this version does not know stays as it is."""
    return str(_BY_CODE.get(code, code))
