"""What the wall is made of: for each table, who sees which rows and what a role may do with it.

A table with a tenant needs no line here: its rows are seen and written by that tenant. Named here
are the exceptions, by the model's label, because this room knows no model above it.
"""

from dataclasses import dataclass

OWN = "{table}.tenant_id = dpgov_tenant()"
_MEMBER_OF = "(SELECT m.tenant_id FROM tenants_membership m WHERE m.user_id = dpgov_user())"
_MEMBERSHIPS = "(SELECT m.id FROM tenants_membership m WHERE m.tenant_id = dpgov_tenant())"
_CHARGEABLE = (
    "EXISTS (SELECT 1 FROM budgets_budgetaccess a"
    " WHERE a.budget_id = {table}.{column} AND a.tenant_id = dpgov_tenant())"
)

_OF_OWN_BUDGET = (
    "EXISTS (SELECT 1 FROM budgets_budget b"
    " WHERE b.id = {table}.budget_id AND b.tenant_id = dpgov_tenant())"
)
_TAKES_PART = (
    "EXISTS (SELECT 1 FROM joint_party p"
    " WHERE p.question_id = {table}.id AND p.tenant_id = dpgov_tenant())"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Which rows of a table the acting tenant may use, and which it may also see or update.

    Where `insert` says what a new row must fulfil, rows are never changed. What may be updated
    beyond one's own is so through the owner's functions only; it may be locked by all.
    """

    use: str = OWN
    insert: str = ""
    see: str = ""
    update: str = ""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A foreign key that may leave the tenant, but only along rows of `table`.

    `table` has the columns `column` and `tenant_id`, unique together.
    """

    table: str
    column: str


ACROSS = Bridge("budgets_budgetaccess", "budget_id")
# Who joined a shared budget sees its counters and their own entries; whose it is adds up all.
_ENTRIES = Rule(see=_OF_OWN_BUDGET)
_RATES = _CHARGEABLE.replace("{column}", "budget_id")

RULES: dict[str, Rule] = {
    "tenants.Tenant": Rule(use="{table}.id = dpgov_tenant()", see=f"{{table}}.id IN {_MEMBER_OF}"),
    "tenants.Membership": Rule(see="{table}.user_id = dpgov_user()"),
    "tenants.ApiToken": Rule(
        use=f"{{table}}.user_id = dpgov_user() OR {{table}}.membership_id IN {_MEMBERSHIPS}"
    ),
    "budgets.Budget": Rule(
        see=_CHARGEABLE.replace("{column}", "id"), update=_CHARGEABLE.replace("{column}", "id")
    ),
    # Access to another tenant's shared budget comes through a gate, with an invitation.
    "budgets.BudgetAccess": Rule(insert=f"{OWN} AND {_OF_OWN_BUDGET}"),
    "budgets.RateLimit": Rule(see=_RATES, update=_RATES),
    "budgets.Reservation": _ENTRIES,
    "budgets.Charge": _ENTRIES,
    "budgets.Correction": _ENTRIES,
    "budgets.LimitChange": _ENTRIES,
    # Whoever takes part sees what is asked; each sees its own part and share, others through gates.
    "joint.JointQuestion": Rule(see=_TAKES_PART),
}

# References to a budget that a query of another tenant may charge.
BRIDGES: dict[tuple[str, str], Bridge | None] = {
    ("budgets.Reservation", "budget"): ACROSS,
    ("budgets.Charge", "budget"): ACROSS,
    ("budgets.Correction", "budget"): ACROSS,
    ("budgets.Correction", "source"): ACROSS,
    ("budgets.LimitChange", "budget"): ACROSS,
    ("budgets.SharedBudgetMember", "shared_budget"): ACROSS,
    # The bridge itself.
    ("budgets.BudgetAccess", "budget"): None,
    # Parties of several tenants take part in one; the gate that seats them asks for a code.
    ("joint.Party", "question"): None,
}

# Rooms whose tables belong to the installation and its people, and hold no tenant's rows.
PERSONS = "accounts, sessions and second factors belong to a person, who may be in many tenants"
WITHOUT_TENANT: dict[str, str] = {
    "tenants.User": PERSONS,
    "budgets.DatabaseMark": "the identity of the database",
    "budgets.RestoreSeen": "hashes of what had every tenant frozen",
    "datasets.RecognitionKey": "the name of the secret that data is recognised by",
    "queries.Worker": "the workers of the installation, which serve every tenant",
    "queries.Sweeper": "the sweeper of the installation, which serves every tenant",
    "noise_check.LastRun": "what was found of made-up tables",
}

# What the application's role may do. Everywhere else it reads, inserts and updates.
DELETES = frozenset(
    {
        "tenants.Membership",
        "tenants.ApiToken",
        "budgets.RateLimit",
        "datasets.Upload",
        "datasets.Arrival",
        "datasets.Draft",
        "datasets.Viewer",
        "queries.Worker",
    }
)
# Tables with rights of their own: functions of the database write there with the owner's rights.
WRITES: dict[str, str] = {
    # That somebody had a part in an allocation limits them when they have left it.
    "tenants.ProjectMember": "SELECT, INSERT, UPDATE (ended_at)",
    "budgets.Budget": "SELECT, INSERT,"
    " UPDATE (label, limit_nano, target_nano, frozen_at, frozen_reason, closed_at, undivided_at,"
    " counted_on)",
    # The database counts them: a number given by hand could be above all that will come.
    "budgets.RestoreSeen": "SELECT, INSERT (seen)",
    "budgets.FreezeMark": "SELECT, INSERT, UPDATE (up_to)",
    "budgets.Reservation": "SELECT",
    "budgets.Charge": "SELECT",
    "budgets.Correction": "SELECT",
    "budgets.BudgetAccess": "SELECT, INSERT",
    "budgets.BudgetPart": "SELECT, INSERT",
    "budgets.Allocation": "SELECT, INSERT",
    "budgets.DerivedBudget": "SELECT, INSERT",
    "budgets.SharedBudgetMember": "SELECT, INSERT, UPDATE (left_at)",
    "budgets.SharedBudgetInvitation": "SELECT, INSERT",
    # A version moved to another dataset would be asked about on that one's budget.
    "datasets.DatasetVersion": "SELECT, INSERT, UPDATE (data_deleted_at)",
    "datasets.Column": "SELECT, INSERT",
    # With another fingerprint the same people would not be recognised, and get a second budget.
    "datasets.VersionFingerprint": "SELECT, INSERT",
    "datasets.FingerprintPart": "SELECT, INSERT",
    "datasets.FingerprintMark": "SELECT, INSERT",
    "datasets.Look": "SELECT, INSERT",
    # A name of another file would be answered out of that one.
    "datasets.StoredFile": "SELECT, INSERT, UPDATE (removed_at)",
    "datasets.DerivedFrom": "SELECT, INSERT",
    # With another host beside it a password would go there; what a table is known by stays.
    "datasets.LiveTable": "SELECT, INSERT, UPDATE (role, sealed, sealed_at, claim)",
    "datasets.LiveMark": "SELECT, INSERT",
    "datasets.RecognitionKey": "SELECT, INSERT",
    "approvals.ChangeRequest": "SELECT, INSERT,"
    " UPDATE (state, decided_by_id, decided_at, decision_reason, outcome)",
    # What a survey asks and how it is randomised is fixed; its reports are a sum that grows.
    "surveys.Survey": "SELECT, INSERT,"
    " UPDATE (state, budget_id, charged_nano, opened_at, closed_at)",
    "surveys.SurveyToken": "SELECT, INSERT, UPDATE (spent)",
    "surveys.SurveyLetter": "SELECT, INSERT,"
    " UPDATE (email, seed, state, attempts, next_attempt_at)",
    "surveys.Tally": "SELECT, INSERT, UPDATE (reports, counts)",
    # Places are taken, and joint questions opened, by functions of the database.
    "joint.JointQuestion": "SELECT, INSERT",
    "joint.Party": "SELECT, UPDATE (public_key)",
    "audit.AuditEntry": "SELECT",
    "audit.AuditHead": "SELECT",
    # What these name may leave the log: the owner's word alone.
    "audit.AuditArchive": "SELECT",
    "audit.AuditLeaves": "SELECT",
}
# What only the sweeper's role may write, where there is one of its own: what signs the log, whose
# ids are never given, its word that it runs, and what it found of our noise.
SIGNS: dict[str, str] = {
    "audit.AuditKey": "SELECT, INSERT (tenant_id, public_key, since_size, at)",
    "audit.AuditCheckpoint": "SELECT, INSERT (tenant_id, size, root, note, at)",
    "audit.AuditSubtree": "SELECT, INSERT (tenant_id, level, index, hash)",
    "audit.AuditDelivery": "SELECT, INSERT, UPDATE",
    "queries.Sweeper": "SELECT, INSERT, UPDATE",
    "noise_check.LastRun": "SELECT, INSERT, UPDATE",
}
# What an auditor reads: what was booked, released, decided and logged, never what was asked.
AUDITED = ("audit.", "budgets.")
AUDITED_TOO = {
    "queries.Release": "SELECT",
    "tenants.Tenant": "SELECT",
    "approvals.ChangeRequest": "SELECT",
    "queries.Query": "SELECT (id, tenant_id, dataset_id, state, reuse, cost_nano, never_read_at)",
    "datasets.Dataset": "SELECT (id, tenant_id, slug, name, budget_id)",
    "datasets.DatasetVersion": "SELECT (id, tenant_id, dataset_id, number)",
    "datasets.Look": "SELECT",
}
# The one function of the owner's that an auditor may call: whom their role audits.
AUDITOR_GATES = frozenset({"dpgov_audited()"})
