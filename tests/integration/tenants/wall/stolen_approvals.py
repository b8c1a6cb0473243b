"""What somebody with the application's password tries with approvals; names as in `stolen`."""

_AGAIN = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'once more', 'ready_made_id', %s))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)
# An approval is the owner's; what it lets be asked is just what was asked for.
_EVERY_QUESTION_APPROVED = (
    "INSERT INTO datasets_policy (dataset_id, tenant_id, statistics, approval_above_nano)"
    " SELECT dataset_id, tenant_id, '[]', 0 FROM queries_query WHERE id = '{waiting}'; "
    + _AGAIN
    % "NULL"
)
_UNDER_ANOTHER_APPROVAL = _AGAIN.replace("'ready_made_id', %s", "'approval_id', '{granted}'")
_APPROVED_FROM_THE_BEGINNING = (
    "INSERT INTO queries_budgetrequest SELECT (jsonb_populate_record(r, jsonb_build_object("
    "'id', gen_random_uuid(), 'state', 'granted', 'granted_nano', 1,"
    " 'answered_by_id', '{owner}', 'answered_at', now()))).*"
    " FROM queries_budgetrequest r WHERE r.id = '{approval}'"
)
_APPROVED_BY_AN_OFFICER = (
    "UPDATE queries_budgetrequest SET state = 'granted', granted_nano = 1,"
    " answered_by_id = '{officer}', answered_at = now() WHERE id = '{approval}'"
)

APPROVALS = (
    _EVERY_QUESTION_APPROVED,
    _UNDER_ANOTHER_APPROVAL,
    _APPROVED_FROM_THE_BEGINNING,
    _APPROVED_BY_AN_OFFICER,
    "UPDATE queries_budgetrequest SET cost_nano = 1 WHERE id = '{approval}'",
    "UPDATE queries_query SET approval_id = '{granted}' WHERE id = '{waiting}'",
)
