"""How the officer's pages say what happened. The stored code stands beside the words."""

from dpgov.audit.actions import Action

WORDS: dict[Action, str] = {
    Action.TENANT_CREATED: "Tenant created",
    Action.MEMBER_ADDED: "Member added",
    Action.MEMBER_ROLE_CHANGED: "Role of a member changed",
    Action.MEMBER_REMOVED: "Member removed",
    Action.TOKEN_CREATED: "API token created",
    Action.TOKEN_REVOKED: "API token revoked",
    Action.FILE_UPLOADED: "File uploaded",
    Action.UPLOAD_DISCARDED: "Uploaded file discarded",
    Action.DATASET_REGISTERED: "Dataset registered",
    Action.DATASET_VERSION_ADDED: "New version of a dataset added",
    Action.DATASET_DESCRIBED: "Dataset description changed",
    Action.DATASET_ARCHIVED: "Dataset archived",
    Action.BUDGET_ALLOCATED: "Budget granted",
    Action.BUDGET_LIMIT_CHANGED: "Budget limit changed",
    Action.QUERY_SUBMITTED: "Question asked",
    Action.QUERY_RELEASED: "Answer released",
    Action.QUERY_FAILED: "Question failed, charged",
    Action.QUERY_VOIDED: "Question not run, not charged",
    Action.QUERY_EXPIRED: "Question expired, not charged",
    Action.AUDIT_LOG_EXPORTED: "Audit log exported",
    Action.AUDIT_LOG_VERIFIED: "Audit log verified",
    Action.BUDGET_RATE_CHANGED: "Rate limit of a budget changed",
    Action.BUDGET_CLOSED: "Budget closed",
    Action.BUDGET_CONFIRMED: "Frozen budget confirmed",
    Action.DATASETS_FROZEN: "Datasets frozen",
    Action.ALLOCATION_WITHDRAWN: "Allocation withdrawn",
    Action.ALLOCATION_RULE_CHANGED: "Rule about allocations changed",
    Action.CHECKPOINT_KEY_CHANGED: "Key of the checkpoints changed",
    Action.PROJECT_CREATED: "Project created",
    Action.PROJECT_MEMBER_ADDED: "Person added to a project",
    Action.PROJECT_MEMBER_REMOVED: "Person taken off a project",
    Action.PROJECT_ENDED: "Project ended",
    Action.CHANGE_REQUESTED: "Change requested",
    Action.CHANGE_APPROVED: "Change approved and carried out",
    Action.CHANGE_REJECTED: "Change rejected",
    Action.CHANGE_WITHDRAWN: "Request for a change withdrawn",
    Action.CHANGE_LAPSED: "Request for a change out of date",
    Action.POPULATION_OPENED: "Shared budget opened",
    Action.POPULATION_JOINED: "Dataset joined a shared budget",
    Action.DATASET_HELD: "Dataset held for a compliance check",
    Action.DATASET_RENAMED: "Dataset renamed",
    Action.QUERY_REUSED: "Question answered for free out of stored answers",
    Action.POLICY_CHANGED: "Policy for questions changed",
    Action.QUESTIONS_PERMITTED: "Larger questions permitted to a person",
}
_BY_CODE = {action.value: words for action, words in WORDS.items()}


def in_words(code: str) -> str:
    """The action in words; a code that this version does not know stays as it is."""
    return _BY_CODE.get(code, code)
