"""What the same person tries with data that is stopped, or shall not be stopped by a restore.

The names are those of stolen.py. Pausing and freezing are the application's to do. What they close
is closed to the application too.
"""

_PAUSE = (
    "UPDATE datasets_dataset SET paused_at = now() WHERE id ="
    " (SELECT dataset_id FROM queries_query WHERE id = '{waiting}'); "
)
_FREEZE = "UPDATE budgets_budget SET frozen_at = now() WHERE id = '{budget}'; "
STOPPED = (
    f"{_PAUSE}INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'in a pause'))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'",
    f"{_PAUSE}UPDATE queries_query SET opened_at = now() WHERE id = '{{waiting}}'",
    f"{_FREEZE}UPDATE queries_query SET state = 'sealed', outcome = 'released', due_at = now()"
    " WHERE id = '{waiting}'",
    "INSERT INTO budgets_freezemark (tenant_id, up_to) VALUES ('{ours}', 1000000)",
    "INSERT INTO budgets_restoreseen (seen) VALUES ('x');"
    " INSERT INTO budgets_freezemark SELECT '{ours}', max(id) FROM budgets_restoreseen;"
    " UPDATE budgets_freezemark SET up_to = 1000000",
    "INSERT INTO budgets_restoreseen (id, seen) VALUES (1000000, 'x')",
    "UPDATE budgets_restoreseen SET id = 1000000",
    "DELETE FROM budgets_restoreseen",
)
