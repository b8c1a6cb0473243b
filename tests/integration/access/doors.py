"""H1: who may use which route, how. A route that is not listed here fails the tests."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

ROLES = ("owner", "analyst", "officer", "admin")
EVERYBODY = frozenset(ROLES)
OWNER, ANALYST, OFFICER, ADMIN = (frozenset({role}) for role in ROLES)


class Kind(Enum):
    """How a route answers somebody who has not signed in."""

    PAGE = auto()
    API = auto()
    ACCOUNT = auto()
    PUBLIC = auto()


@dataclass(frozen=True, slots=True)
class Door:
    """The methods of a route, the roles that may use it, and those to whom its thing is hidden.

    `by_body`: the thing is named in the posted body, so that an empty body looks missing too.
    """

    methods: frozenset[str]
    roles: frozenset[str] = EVERYBODY
    kind: Kind = Kind.PAGE
    hidden_from: frozenset[str] = frozenset()
    by_body: bool = False


def page(methods: str, roles: frozenset[str] = EVERYBODY, **more: Any) -> Door:
    return Door(frozenset(methods.split()), roles, Kind.PAGE, **more)


def api(methods: str, roles: frozenset[str] = EVERYBODY, **more: Any) -> Door:
    return Door(frozenset(methods.split()), roles, Kind.API, **more)


ACCOUNT = Door(frozenset({"GET", "POST"}), kind=Kind.ACCOUNT)
PUBLIC = Door(frozenset({"GET"}), kind=Kind.PUBLIC)
# No role opens it; see tests/integration/monitoring/test_metrics.py.
OPERATOR = Door(frozenset({"GET"}), kind=Kind.PUBLIC)

DOORS: dict[str, Door] = {
    "dashboards:home": page("GET"),
    "dashboards:budget": page("GET"),
    "dashboards:group_privacy": page("GET"),
    "dashboards:understanding": page("GET"),
    "dashboards:understanding_general": page("GET"),
    "dashboards:glossary": page("GET"),
    "dashboards:comparison": page("GET", OWNER | OFFICER),
    "dashboards:limits": page("GET", OWNER | OFFICER),
    "dashboards:rate": page("GET POST", OWNER),
    "dashboards:allocation_new": page("GET POST", OWNER),
    "dashboards:allocation_change": page("GET POST", OWNER),
    "dashboards:allocation_withdraw": page("GET POST", OWNER),
    "dashboards:search": page("GET"),
    "dashboards:history": page("GET"),
    "dashboards:history_export": page("GET"),
    "dashboards:approvals": page("GET", OWNER | OFFICER),
    "dashboards:approval": page("GET", OWNER | OFFICER),
    "dashboards:approve": page("POST", OWNER | OFFICER),
    "dashboards:reject": page("POST", OWNER | OFFICER),
    "dashboards:withdraw": page("POST", OWNER | OFFICER),
    "dashboards:raise_limit": page("GET POST", OWNER | OFFICER),
    "dashboards:refund": page("GET POST", OWNER | OFFICER),
    "dashboards:frozen": page("GET", OWNER | OFFICER),
    "dashboards:confirm_frozen": page("POST", OFFICER),
    "dashboards:shared_budgets": page("GET", OWNER | OFFICER),
    "dashboards:shared_budget": page("GET", OWNER | OFFICER),
    "dashboards:shared_budget_new": page("GET POST", OWNER),
    "dashboards:shared_budget_accept": page("GET POST", OWNER),
    "dashboards:shared_budget_join": page("GET POST", OWNER),
    "dashboards:shared_budget_limit": page("GET POST", OWNER),
    "dashboards:shared_budget_raise": page("GET POST", OWNER | OFFICER),
    "dashboards:shared_budget_merge": page("GET POST", OWNER | OFFICER),
    "dashboards:shared_budget_divide": page("GET POST", OWNER | OFFICER),
    "dashboards:shared_budget_share": page("GET POST", OWNER | OFFICER),
    "dashboards:audit_log": page("GET", OFFICER),
    "dashboards:audit_entry": page("GET", OFFICER),
    "dashboards:audit_export": page("POST", OFFICER),
    "dashboards:audit_verify": page("POST", OFFICER),
    "dashboards:audit_checkpoints": page("GET", OFFICER),
    "dashboards:audit_checkpoint": page("GET", OFFICER),
    "dashboards:audit_keys": page("GET", OFFICER),
    "dashboards:audit_consistency": page("GET", OFFICER),
    "dashboards:noise_check": page("GET", OFFICER),
    "dashboards:desk": page("GET"),
    "dashboards:month": page("GET", OFFICER),
    "dashboards:month_report": page("GET", OFFICER),
    "dashboards:month_csv": page("GET", OFFICER),
    "dashboards:patterns": page("GET", OWNER | OFFICER),
    "dashboards:record": page("GET POST", OWNER | OFFICER),
    "datasets:list": page("GET"),
    "datasets:find": page("GET"),
    "datasets:detail": page("GET"),
    "datasets:upload": page("GET POST", OWNER),
    "datasets:register": page("GET POST", OWNER),
    "datasets:reading": page("GET", OWNER),
    "datasets:reading_now": page("GET", OWNER),
    "datasets:cancel_reading": page("POST", OWNER),
    "datasets:import_columns": page("GET POST", OWNER),
    "datasets:choosing": page("GET", OWNER),
    "datasets:choosing_now": page("GET", OWNER),
    "datasets:archive": page("GET POST", OWNER),
    "datasets:pause": page("GET POST", OWNER),
    "datasets:resume": page("POST", OWNER),
    "datasets:archived": page("GET", OWNER),
    "datasets:delete_data": page("GET POST", OWNER),
    "datasets:limit": page("GET POST", OWNER),
    "datasets:settings": page("GET", OWNER),
    "datasets:describe": page("GET POST", OWNER),
    "datasets:discard": page("POST", OWNER),
    "datasets:rename": page("GET POST", OWNER),
    "datasets:access": page("GET POST", OWNER),
    "datasets:policy": page("GET POST", OWNER),
    "datasets:permit": page("POST", OWNER),
    "datasets:save_draft": page("POST", OWNER),
    "datasets:fill": page("POST", OWNER),
    "datasets:column_template": page("GET", OWNER),
    "datasets:review": page("POST", OWNER),
    "datasets:versions": page("GET", OWNER),
    "datasets:add_version": page("GET POST", OWNER),
    "datasets:held": page("GET POST", OWNER | OFFICER),
    "datasets:new_data": page("GET", OFFICER),
    "datasets:look": page("GET POST", OFFICER),
    "datasets:new_data_rule": page("POST", OFFICER, by_body=True),
    "datasets:agreements": page("GET POST", OFFICER),
    "datasets:end_agreement": page("POST", OFFICER, by_body=True),
    "datasets:unit_bounds": page("GET POST", OWNER),
    "queries:unit_rows": page("GET POST", OWNER),
    "queries:ask": page("GET POST", ANALYST),
    "queries:ask_sql": page("GET POST", ANALYST),
    "queries:sql_price": page("POST", ANALYST),
    "queries:quote": page("POST", ANALYST),
    "queries:reuse": page("POST", ANALYST),
    "queries:mock": page("POST", ANALYST),
    "queries:mock_file": page("GET"),
    "queries:curve": page("POST", ANALYST),
    "queries:compare": page("GET"),
    "queries:save": page("POST", ANALYST),
    "queries:saved": page("GET", ANALYST),
    "queries:saved_remove": page("POST", ANALYST),
    "queries:saved_restore": page("POST", ANALYST),
    "queries:budget_ask": page("GET POST", ANALYST),
    "queries:budget_requests": page("GET"),
    "queries:budget_request": page("GET", hidden_from=ADMIN),
    "queries:budget_answer": page("POST", OWNER),
    "queries:budget_withdraw": page("POST", ANALYST),
    "queries:batch": page("GET POST", ANALYST),
    "queries:put_aside": page("POST", ANALYST),
    "queries:detail": page("GET", hidden_from=ADMIN),
    "queries:status": page("GET", hidden_from=ADMIN),
    "queries:download": page("GET", hidden_from=ADMIN),
    "queries:receipt": page("GET", hidden_from=ADMIN),
    "notices:list": page("GET"),
    "notices:read_all": page("POST"),
    "notices:choices": page("GET POST"),
    "notices:read": page("POST"),
    "notices:webhooks": page("GET POST", ADMIN),
    "notices:webhook": page("GET", ADMIN),
    "notices:webhook_secret": page("POST", ADMIN),
    "notices:webhook_test": page("POST", ADMIN),
    "notices:webhook_remove": page("GET POST", ADMIN),
    "people:members": page("GET", ADMIN),
    "people:member_role": page("POST", ADMIN),
    "people:member_role_withdraw": page("POST", ADMIN),
    "people:member_remove": page("GET POST", ADMIN),
    "people:member_tokens": page("GET", ADMIN),
    "people:member_token_end": page("POST", ADMIN),
    "people:invitations": page("GET POST", ADMIN),
    "people:invitation_again": page("POST", ADMIN),
    "people:invitation_revoke": page("POST", ADMIN),
    "tenants:join": ACCOUNT,
    "tenants:projects": page("GET POST", OWNER),
    "tenants:project": page("GET POST", OWNER),
    "tenants:project_end": page("GET POST", OWNER),
    "tenants:project_remove": page("POST", OWNER),
    "tenants:tokens": page("GET POST"),
    "tenants:token_revoke": page("POST"),
    "tenants:language": Door(frozenset({"POST"}), kind=Kind.PUBLIC),
    "tenants:switch": page("POST", by_body=True),
    "v1:dataset-list": api("GET"),
    "v1:dataset-detail": api("GET"),
    "v1:dataset-budget": api("GET"),
    "v1:dataset-comparison": api("GET", OWNER | OFFICER),
    "v1:quote": api("POST", ANALYST),
    "v1:reuse": api("POST", ANALYST),
    "v1:mock": api("POST", ANALYST),
    "v1:mock-rows": api("GET"),
    "v1:curve": api("POST", ANALYST),
    "v1:batch-quote": api("POST", ANALYST),
    "v1:batch-submit": api("POST", ANALYST),
    "v1:sql": api("POST", ANALYST),
    "v1:query-submit": api("POST", ANALYST),
    "v1:query-list": api("GET"),
    "v1:query-detail": api("GET", hidden_from=ADMIN),
    "v1:query-release": api("GET", hidden_from=ADMIN),
    "v1:query-receipt": api("GET", hidden_from=ADMIN),
    "v1:audit-entries": api("GET", OFFICER),
    "v1:audit-verify": api("POST", OFFICER),
    "v1:audit-checkpoints": api("GET", OFFICER),
    "v1:audit-consistency": api("GET", OFFICER),
    "schema": PUBLIC,
    "api_docs": PUBLIC,
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    "metrics": OPERATOR,
    "account_login": ACCOUNT,
    "account_logout": ACCOUNT,
    "account_inactive": ACCOUNT,
    "account_signup": ACCOUNT,
    "account_reauthenticate": ACCOUNT,
    "account_email": ACCOUNT,
    "account_email_verification_sent": ACCOUNT,
    "account_confirm_email": ACCOUNT,
    "account_change_password": ACCOUNT,
    "account_set_password": ACCOUNT,
    "account_reset_password": ACCOUNT,
    "account_reset_password_done": ACCOUNT,
    "account_reset_password_from_key": ACCOUNT,
    "account_reset_password_from_key_done": ACCOUNT,
    "account_confirm_login_code": ACCOUNT,
    "usersessions_list": ACCOUNT,
    "socialaccount_connections": ACCOUNT,
    "socialaccount_login_cancelled": ACCOUNT,
    "socialaccount_login_error": ACCOUNT,
    "socialaccount_signup": ACCOUNT,
    "openid_connect_login": ACCOUNT,
    "openid_connect_callback": ACCOUNT,
    "mfa_list_webauthn": ACCOUNT,
    "mfa_add_webauthn": ACCOUNT,
    "mfa_reauthenticate_webauthn": ACCOUNT,
    "mfa_remove_webauthn": ACCOUNT,
    "mfa_edit_webauthn": ACCOUNT,
    "mfa_login_webauthn": ACCOUNT,
    "mfa_index": ACCOUNT,
    "mfa_authenticate": ACCOUNT,
    "mfa_reauthenticate": ACCOUNT,
    "mfa_activate_totp": ACCOUNT,
    "mfa_deactivate_totp": ACCOUNT,
    "mfa_view_recovery_codes": ACCOUNT,
    "mfa_generate_recovery_codes": ACCOUNT,
    "mfa_download_recovery_codes": ACCOUNT,
}
