"""G1: every command and task, and the entry that it makes or why there is none."""

COMMANDS: dict[str, str] = {
    "makemessages": "collects sentences for translators, in files of the source",
    "create_tenant": "TENANT_CREATED, in tests/integration/tenants/test_create_tenant.py",
    "invite": "INVITATION_SENT, INVITATION_LINK_MADE, in tests/integration/tenants/test_links.py",
    "remove_member": "MEMBER_REMOVED, in tests/integration/tenants/test_after_restore.py",
    "password_link": "PASSWORD_LINK_MADE, in tests/integration/tenants/test_links.py",
    "migrate": "changes tables, and what is in them only as a migration says",
    "verify_audit_log": "reads only",
    "verify_ledger": "reads only",
    "reconcile": "reads only",
    "appoint_auditor": "a right in the database, of which no tenant's log can tell: see docs",
    "freeze": "DATASETS_FROZEN, in tests/integration/budgets/test_freezing.py",
    "checkpoint": "signs what the log says; an entry about it would itself have to be signed",
    "rotate_checkpoint_key": "CHECKPOINT_KEY_CHANGED, in tests/integration/audit/test_rotation.py",
    "archive_log": "AUDIT_LOG_ARCHIVED, in tests/integration/audit/test_archive.py",
    "check_noise": "asks made-up tables only, and keeps what it found in a file",
    "sweep": (
        "ends queries by the services that the task uses, in tests/integration/queries/answering"
    ),
    "joint_worker": "QUERY_RELEASED and its siblings, in tests/integration/joint",
    "move_files": "the same bytes in another place; no tenant's log tells where files lie",
    "respond": "a respondent's program: it touches no database of ours",
    "demo": "calls services and pages that are all in this table",
    "practice": (
        "TENANT_CREATED and what its services enter, in the log of the practice organisation: "
        "tests/integration/demo/test_practice.py"
    ),
}
TASKS: dict[str, str] = {
    "dpgov.datasets.read": (
        "DATASET_REGISTERED and its siblings, in tests/integration/datasets/arrivals"
    ),
    "dpgov.queries.look": "QUERY_RELEASED and its siblings, in tests/integration/queries/answering",
}
