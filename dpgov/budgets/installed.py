"""What the ledger needs in the database: steps, what never changes, gates of shared budgets."""

from pathlib import Path

from dpgov.audit.append_only import append_only, refuse_updates
from dpgov.budgets.guards import guards
from dpgov.operation.installed import Installed
from dpgov.tenants.wall.functions import gate
from dpgov.tenants.wall.guards import installed_guards

_SQL = Path(__file__).parent / "sql"
_STEPS = (
    "budgets_window",
    "budgets_follow_lines",
    "budgets_parents",
    "budgets_forgot",
    "budgets_check_question",
    "budgets_reserve",
    "budgets_lock_holds",
    "budgets_settle",
    "budgets_give_back",
    "budgets_correct",
)
_OPEN = """
    FROM budgets_sharedbudgetinvitation i JOIN budgets_budget b ON b.id = i.shared_budget_id
    JOIN tenants_tenant t ON t.id = i.tenant_id AND t.practice_of IS NULL
    WHERE i.code_hash = $1 AND i.accepted_at IS NULL AND i.expires_at > clock_timestamp()
      AND i.tenant_id <> dpgov_tenant() AND b.closed_at IS NULL
"""
_CLAIM = f"""
    UPDATE budgets_sharedbudgetinvitation claimed
    SET accepted_at = clock_timestamp(), accepted_by_id = dpgov_tenant()
    WHERE claimed.accepted_at IS NULL AND claimed.id IN (SELECT i.id {_OPEN})
    RETURNING claimed.id, claimed.shared_budget_id
"""  # noqa: S608 - our own text
_USED = """
    FROM budgets_sharedbudgetinvitation i
    JOIN tenants_tenant t ON t.id = i.tenant_id AND t.practice_of IS NULL
    WHERE i.id = $1 AND i.accepted_by_id = dpgov_tenant() AND i.expires_at > clock_timestamp()
"""
_ADMIT = f"""
    INSERT INTO budgets_budgetaccess (budget_id, tenant_id, created_at)
    SELECT i.shared_budget_id, i.accepted_by_id, clock_timestamp() {_USED}
    ON CONFLICT DO NOTHING;
    SELECT i.shared_budget_id {_USED}
"""
_INVITED = """
    SELECT EXISTS (
        SELECT 1 FROM budgets_sharedbudgetinvitation i
        WHERE i.id = $1 AND i.shared_budget_id = $2 AND i.accepted_by_id = $3
          AND i.expires_at > $4
    )
"""
_SHARED = """
    SELECT CASE WHEN $2 IS DISTINCT FROM dpgov_tenant() THEN true ELSE EXISTS (
        SELECT 1 FROM budgets_sharedbudgetmember m
        WHERE m.shared_budget_id = $1 AND m.left_at IS NULL AND m.tenant_id <> $2
    ) AND EXISTS (
        SELECT 1 FROM budgets_budgetaccess a
        WHERE a.budget_id = $1 AND a.tenant_id = $2
    ) END
"""
_PROTECT = """
    UPDATE budgets_budget SET protects = $2
    WHERE id = $1 AND protects = '' AND kind = 'shared_budget' AND (
        current_setting('dpgov.tenant', true) = 'all' OR EXISTS (
            SELECT 1 FROM budgets_budgetaccess a
            WHERE a.budget_id = $1 AND a.tenant_id = dpgov_tenant()
        )
    )
    RETURNING id
"""


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        append_only("budgets_charge"),
        append_only("budgets_limitchange"),
        append_only("budgets_correction"),
        append_only("budgets_derivedbudget"),
        refuse_updates(
            "budgets_frozen_currency",
            table="budgets_budget",
            when="OLD.mode <> NEW.mode OR OLD.delta <> NEW.delta"
            " OR (OLD.protects <> NEW.protects AND OLD.protects <> '')",
            message="the accounting mode of a budget never changes",
        ),
        refuse_updates(
            "budgets_paid_for_one",
            table="budgets_budget",
            when="OLD.protects <> NEW.protects AND NEW.protects NOT LIKE '1:%'"
            " AND NEW.spent_nano + NEW.reserved_nano > 0",
            message="what was charged for one person each protects no group",
        ),
        refuse_updates(
            "budgets_stays_undivided",
            table="budgets_budget",
            when="OLD.undivided_at IS NOT NULL"
            " AND (NEW.undivided_at IS NULL OR NEW.undivided_at <> OLD.undivided_at)",
            message="the discount of a partition never comes back",
        ),
        refuse_updates(
            "budgets_stays_counted",
            table="budgets_budget",
            when="OLD.counted_on IS NOT NULL"
            " AND (NEW.counted_on IS NULL OR NEW.counted_on < OLD.counted_on)",
            message="the windows of a budget never go back",
        ),
        Installed(functions=_STEPS, postgresql=((_SQL / "ledger.sql").read_text(),)),
        Installed(functions=("budgets_extend",), postgresql=((_SQL / "extend.sql").read_text(),)),
        gate(
            "budgets_invitation(text)",
            returns="TABLE (label text, limit_nano bigint, committed_nano bigint, mode text,"
            " delta text, target_nano bigint)",
            body="SELECT b.label::text, b.limit_nano, b.spent_nano + b.reserved_nano,"
            f" b.mode::text, b.delta::text, b.target_nano {_OPEN}",
        ),
        gate(
            "budgets_claim_invitation(text)",
            returns="TABLE (id uuid, shared_budget uuid)",
            volatility="VOLATILE",
            body=_CLAIM,
        ),
        gate(
            "budgets_admit_by_invitation(uuid)", returns="uuid", volatility="VOLATILE", body=_ADMIT
        ),
        gate("budgets_invited(uuid, uuid, uuid, timestamptz)", returns="boolean", body=_INVITED),
        gate("budgets_shared_with_others(uuid, uuid)", returns="boolean", body=_SHARED),
        gate("budgets_protect(uuid, text)", returns="uuid", volatility="VOLATILE", body=_PROTECT),
        *installed_guards(guards),
    )
