"""What somebody with the application's password tries: each statement, for one tenant or another.

`{ours}` and `{theirs}` are tenants, `{budget}` and `{foreign_budget}` their datasets' budgets,
`{query}` a question that was answered, `{waiting}` one that waits, `{foreign_query}` one of the
other tenant's, `{request}` a request that waits, `{held}` a dataset that two persons must release,
`{new}` one that waits for an officer's look, `{officer}` who might decide it, `{stranger}` a person
of the other tenant.
"""

from tests.integration.tenants.wall.stolen_approvals import APPROVALS
from tests.integration.tenants.wall.stolen_audience import OF_DATASETS
from tests.integration.tenants.wall.stolen_stopped import STOPPED

_COPY = """
    INSERT INTO budgets_budget (id, tenant_id, kind, label, mode, delta, protects, limit_nano,
        reserved_nano, spent_nano, created_at, frozen_reason)
    SELECT gen_random_uuid(), tenant_id, {kind}, label || ' 2', mode, delta, protects, limit_nano,
        0, {spent}, now(), '{{{{}}}}' FROM budgets_budget WHERE id = '{{budget}}'
    RETURNING id, tenant_id
"""
_FRESH = _COPY.format(kind="kind", spent=0).strip()
_PART = _COPY.format(kind="'partition'", spent=0).strip()
_REQUEST = """
    INSERT INTO approvals_changerequest (id, tenant_id, kind, subject, dataset, payload, reason,
        requested_by_id, requested_role, requested_at, state, decided_by_id, decided_at,
        decision_reason, outcome)
    SELECT gen_random_uuid(), tenant_id, 'raise_limit', 'budget:2', '', payload, 'x', {asks},
        'owner', now(), {state}, {decides}, {at}, '', '{{{{}}}}'
    FROM approvals_changerequest WHERE id = '{{request}}'
"""
_BEGIN = "UPDATE datasets_dataset SET held_at = NULL, held_reason = ''"
_OFFICER = "'{officer}'"
_SOMEBODY = "(SELECT user_id FROM tenants_membership WHERE role = 'analyst' LIMIT 1)"
# A question about one dataset's data, charged to another dataset.
_ANOTHER = "(SELECT id FROM datasets_datasetversion WHERE dataset_id = '{held}')"
_QUESTION = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    f"'id', gen_random_uuid(), 'idempotency_key', 'another', 'version_id', {_ANOTHER}))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)


# Whoever may write policies and withdraw is the application; what follows from it binds it too.
_AGAIN = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'once more', 'ready_made_id', %s))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)
_OTHER_THAN_READY_MADE = (
    "INSERT INTO datasets_policy (dataset_id, tenant_id, statistics, only_ready_made)"
    " SELECT dataset_id, tenant_id, '[]', true FROM queries_query WHERE id = '{waiting}'; "
    + _AGAIN
    % "NULL"
)
_WITHDRAWN = (
    "UPDATE queries_readymade SET withdrawn_at = now(), withdrawn_by_id = published_by_id"
    " WHERE id = '{ready_made}'; " + _AGAIN % "'{ready_made}'"
)


def _look(by: str, outcome: str) -> str:
    return (
        "INSERT INTO datasets_look (tenant_id, version_id, by_id, outcome, at)"
        f" SELECT '{{ours}}', id, {by}, '{outcome}', now()"
        " FROM datasets_datasetversion WHERE dataset_id = '{new}'"
    )


# What takes two persons is nothing that one statement gives.
_IN_TWO_ROLES = (
    "INSERT INTO tenants_membership (id, tenant_id, user_id, role, role_since, second_role,"
    " second_since, created_at) VALUES (gen_random_uuid(), '{ours}', '{stranger}', 'owner', now(),"
    " 'analyst', now(), now())"
)
_PUBLISHED_BY_THE_SAME = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'my own', 'ready_made_id', '{ready_made}',"
    " 'analyst_id', (SELECT published_by_id FROM queries_readymade WHERE id = '{ready_made}')))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)

CHANGES = (
    *APPROVALS,
    _QUESTION,
    _IN_TWO_ROLES,
    _PUBLISHED_BY_THE_SAME,
    "UPDATE tenants_membership SET second_role = 'analyst', second_since = now()"
    " WHERE role = 'owner'",
    "UPDATE tenants_membership SET second_role = 'analyst', second_since = now()"
    " WHERE role = 'officer'",
    "UPDATE tenants_membership SET second_role = 'admin', second_since = now()"
    " WHERE role = 'owner'",
    "UPDATE tenants_tenant SET practice_of = gen_random_uuid() WHERE id = '{ours}'",
    *STOPPED,
    _OTHER_THAN_READY_MADE,
    _WITHDRAWN,
    *OF_DATASETS,
    "UPDATE queries_readymade SET cost_nano = 1 WHERE id = '{ready_made}'",
    f"UPDATE queries_query SET version_id = {_ANOTHER} WHERE id = '{{waiting}}'",
    "UPDATE budgets_budget SET limit_nano = limit_nano + 1 WHERE id = '{budget}'",
    "UPDATE budgets_budget SET limit_nano = 1000000000000000 WHERE kind = 'dataset'",
    "UPDATE budgets_budget SET spent_nano = 0",
    "UPDATE budgets_budget SET reserved_nano = 0",
    "UPDATE budgets_budget SET mode = 'zcdp', delta = '0.1', target_nano = 1",
    "UPDATE budgets_budget SET target_nano = target_nano + 1 WHERE tenant_id = '{ours}'",
    "UPDATE budgets_budget SET kind = 'allocation'",
    "UPDATE budgets_budget SET id = gen_random_uuid()",
    "UPDATE budgets_budget SET closed_at = NULL WHERE label = 'closed'",
    "UPDATE budgets_budget SET counted_on = counted_on - 1 WHERE counted_on IS NOT NULL",
    "UPDATE budgets_budget SET counted_on = NULL WHERE counted_on IS NOT NULL",
    "DELETE FROM budgets_budget",
    _COPY.format(kind="kind", spent=7),
    f"WITH fresh AS ({_FRESH}) UPDATE datasets_dataset d SET budget_id = fresh.id FROM fresh",
    f"WITH part AS ({_PART}) INSERT INTO budgets_budgetpart"
    " (budget_id, tenant_id, dataset_budget_id, position, part)"
    " SELECT id, tenant_id, '{budget}', 0, 'all' FROM part",
    "UPDATE datasets_dataset SET budget_id = '{foreign_budget}'",
    "INSERT INTO datasets_dataset SELECT (jsonb_populate_record(d, jsonb_build_object("
    "'id', gen_random_uuid(), 'slug', 'copy', 'budget_id', (SELECT id FROM budgets_budget"
    " WHERE label = 'shared')))).* FROM datasets_dataset d WHERE slug = 'visits'",
    "UPDATE datasets_datasetversion SET dataset_id = '{held}', number = 9",
    "UPDATE budgets_budgetpart SET dataset_budget_id = '{budget}'",
    "UPDATE budgets_allocation SET dataset_budget_id = '{budget}'",
    "UPDATE budgets_sharedbudgetmember SET left_at = now() WHERE left_at IS NULL",
    "UPDATE budgets_sharedbudgetmember SET shared_budget_id = '{budget}'",
    "DELETE FROM budgets_sharedbudgetmember",
    "INSERT INTO budgets_sharedbudgetmember"
    " (id, tenant_id, shared_budget_id, dataset_budget_id, joined_at)"
    " SELECT gen_random_uuid(), '{ours}', '{left}', id, now() FROM budgets_budget"
    " WHERE label = 'in rho'",
    "DELETE FROM budgets_allocation",
    "INSERT INTO budgets_reservation SELECT * FROM budgets_reservation",
    "UPDATE budgets_reservation SET state = 'voided'",
    "UPDATE budgets_charge SET amount_nano = 1",
    "DELETE FROM budgets_charge",
    "INSERT INTO budgets_correction SELECT * FROM budgets_correction",
    "UPDATE budgets_limitchange SET after_nano = before_nano",
    "UPDATE approvals_changerequest SET state = 'approved'",
    "UPDATE approvals_changerequest SET state = 'approved', decided_by_id = requested_by_id,"
    " decided_at = now()",
    "UPDATE approvals_changerequest SET state = 'approved', decided_by_id = '{stranger}',"
    " decided_at = now()",
    "UPDATE approvals_changerequest SET payload = '{{}}'",
    "UPDATE approvals_changerequest SET requested_by_id = '{officer}'",
    "DELETE FROM approvals_changerequest",
    _REQUEST.format(asks="requested_by_id", state="'approved'", decides="'{officer}'", at="now()"),
    _REQUEST.format(asks="'{stranger}'", state="'waiting'", decides="NULL", at="NULL"),
    f"{_BEGIN} WHERE id = '{{held}}'",
    f"{_BEGIN} WHERE id = '{{new}}'",
    f"{_look('NULL', 'goes_on')}; {_BEGIN} WHERE id = '{{new}}'",
    f"{_look(_SOMEBODY, 'goes_on')}; {_BEGIN} WHERE id = '{{new}}'",
    f"{_look(_OFFICER, 'paused')}; {_BEGIN} WHERE id = '{{new}}'",
    "UPDATE datasets_dataset SET held_reason = 'new_data' WHERE id = '{held}'",
    "UPDATE datasets_datasetversion SET data_deleted_at = now() WHERE dataset_id = '{new}'",
    "UPDATE datasets_look SET outcome = 'goes_on'",
    "DELETE FROM datasets_look",
    "UPDATE audit_audithead SET sequence = 1",
    "INSERT INTO audit_audithead VALUES (gen_random_uuid(), 1)",
    "DELETE FROM audit_audithead",
    "UPDATE audit_auditentry SET actor_label = 'somebody else'",
    "INSERT INTO audit_auditentry SELECT * FROM audit_auditentry",
    "INSERT INTO audit_auditkey (tenant_id, public_key, since_size, at)"
    " VALUES ('{ours}', 'mine', 0, '2020-01-01')",
    "INSERT INTO audit_auditkey (id, tenant_id, public_key, since_size, at)"
    " VALUES (-1, '{ours}', 'mine', 0, '2020-01-01')",
    "INSERT INTO audit_auditcheckpoint (tenant_id, size, root, note, at)"
    " VALUES ('{ours}', 9999, '', '', now())",
    "INSERT INTO audit_auditsubtree (tenant_id, level, index, hash) VALUES ('{ours}', 1, 0, '')",
    "UPDATE audit_auditdelivery SET delivered_at = now()",
    "UPDATE queries_release SET body = '{{}}'",
    "DELETE FROM queries_release",
    "INSERT INTO dpgov_auditor VALUES ('dpgov_app', NULL)",
)

ESCALATIONS = (
    "SET ROLE dpgov",
    "SET ROLE dpgov_sweeper",
    "SET ROLE dpgov_auditor",
    "SET SESSION AUTHORIZATION dpgov",
    "SET session_replication_role = replica",
    "SET row_security = off; SELECT count(*) FROM budgets_budget",
    "ALTER ROLE dpgov_app SUPERUSER",
    "ALTER ROLE dpgov_app BYPASSRLS",
    "GRANT dpgov TO dpgov_app",
    "CREATE ROLE mine",
    "CREATE TABLE public.mine ()",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE OR REPLACE FUNCTION public.guard_limit() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'",
    "ALTER FUNCTION public.budgets_settle OWNER TO dpgov_app",
    "DROP FUNCTION public.guard_limit() CASCADE",
    "DROP TRIGGER guard_limit ON budgets_budget",
    "ALTER TABLE budgets_budget DISABLE TRIGGER guard_limit",
    "ALTER TABLE budgets_budget NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY wall_own ON budgets_budget",
    "CREATE POLICY mine ON budgets_budget USING (true)",
    "TRUNCATE budgets_charge",
    "ALTER DATABASE postgres RENAME TO mine",
    "ALTER SYSTEM SET log_statement = 'all'",
    "CREATE EXTENSION dblink",
    "COPY budgets_budget TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/mine'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT * FROM pg_authid",
    "SELECT * FROM dpgov_auditor",
    # A table of the session's own in the place of the one that a guard asks.
    "CREATE TEMPORARY TABLE approvals_changerequest AS"
    " SELECT * FROM public.approvals_changerequest;"
    "UPDATE pg_temp.approvals_changerequest SET state = 'approved', decided_by_id = '{officer}';"
    "UPDATE budgets_budget SET limit_nano = limit_nano + 5000000000 WHERE id = '{budget}'",
)

_RESERVE = "SELECT * FROM budgets_reserve('{0}', '{1}', ARRAY['{2}'::uuid], ARRAY[{3}::bigint],"
_ONE = " ARRAY[1::smallint], 'UTC')"


def reserve(query: str, tenant: str, budget: str, nano: int = 1) -> str:
    return _RESERVE.format(query, tenant, budget, nano) + _ONE


def _correct(
    kind: str, nano: int, query: str, *, tenant: str = "{ours}", budget: str = "{budget}"
) -> str:
    return (
        f"SELECT * FROM budgets_correct(gen_random_uuid(), '{tenant}', '{budget}', '{kind}',"
        f" {nano}, {query}, NULL, 'x')"
    )


_APPENDED = (
    "SELECT * FROM audit_append('{theirs}', 'user', 'u', 'anna', 'TENANT_CREATED', 'x:1', '',"
    " '{{}}', '', '', '')"
)
CALLS = (
    reserve("00000000-0000-0000-0000-000000000001", "{ours}", "{budget}"),
    reserve("{foreign_query}", "{ours}", "{budget}"),
    reserve("{foreign_query}", "{theirs}", "{foreign_budget}"),
    reserve("{waiting}", "{theirs}", "{budget}"),
    reserve("{query}", "{ours}", "{budget}"),
    reserve("{waiting}", "{ours}", "{foreign_budget}"),
    "SELECT * FROM budgets_settle('00000000-0000-0000-0000-000000000001', 1)",
    "SELECT * FROM budgets_settle('{foreign_query}', 500000000)",
    "SELECT * FROM budgets_settle('{query}', 500000000)",
    "SELECT * FROM budgets_settle('{waiting}', 1)",
    "SELECT * FROM budgets_give_back('00000000-0000-0000-0000-000000000001', 'voided')",
    "SELECT * FROM budgets_give_back('{foreign_query}', 'voided')",
    "SELECT * FROM budgets_give_back('{query}', 'voided')",
    "SELECT * FROM budgets_give_back('{waiting}', 'held')",
    _correct("refund", -400_000_000, "'{query}'"),
    _correct("refund", -500_000_000, "'{query}'"),
    _correct("refund", -1, "gen_random_uuid()"),
    _correct("carried_over", -1, "NULL"),
    _correct("carried_over", 1, "NULL", budget="{foreign_budget}"),
    _correct("carried_over", 1, "NULL", tenant="{theirs}"),
    _correct("after_restore", 10**18, "NULL"),
    _APPENDED,
)

# What is not refused, and the words of whoever finds it: reconcile, verify_ledger or the log's own.
FOUND = (
    (
        "UPDATE approvals_changerequest SET state = 'approved', decided_by_id = '{officer}',"
        " decided_at = now() WHERE id = '{request}'",
        "request {request}: stored as “approved”, which the log does not say",
    ),
    (
        "UPDATE budgets_budget SET limit_nano = 20000000000 WHERE id = '{budget}'",
        "visits: limit says ε 20, its history",
    ),
    (
        "INSERT INTO budgets_limitchange (tenant_id, budget_id, before_nano, after_nano, reason,"
        " created_at) VALUES ('{ours}', '{budget}', 10000000000, 30000000000, 'x', now())",
        "visits: its limit was raised from ε 10 to ε 30, which no two persons approved",
    ),
    ("UPDATE queries_query SET cost_nano = 1 WHERE id = '{waiting}'", "question {waiting}: stored"),
    (
        _correct("carried_over", 1, "NULL"),
        "budget {budget}: ε 0.000000001 booked as “carried_over”, which nobody approved",
    ),
    (
        f"{_look(_OFFICER, 'goes_on')}; {_BEGIN} WHERE id = '{{new}}'",
        "dataset {new}, version 1: an officer's look is stored that the log does not say",
    ),
    (
        "INSERT INTO queries_release (query_id, tenant_id, body, sha256, created_at)"
        " VALUES ('{waiting}', '{ours}', '{{}}', 'x', now())",
        "question {waiting}: an answer is stored that the log does not know",
    ),
)
