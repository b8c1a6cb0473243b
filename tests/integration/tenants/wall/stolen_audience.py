"""What the same person tries with a dataset for named people; the names are those of stolen.py.

Naming is the application's to do, for an owner and another person; who is not named asks nothing.
"""

from tests.integration.tenants.wall.stolen_declared import DECLARED
from tests.integration.tenants.wall.stolen_derived import DERIVED
from tests.integration.tenants.wall.stolen_live import LIVE
from tests.integration.tenants.wall.stolen_terms import TERMS_OF_USE

_AGAIN = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'unnamed'))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)
_FOR_OTHERS = (
    "UPDATE datasets_dataset SET named_only = true"
    " WHERE id = (SELECT dataset_id FROM queries_query WHERE id = '{waiting}')"
)
_NAMED_BY = (
    "INSERT INTO datasets_viewer (id, tenant_id, dataset_id, membership_id, named_by_id, named_at)"
    " SELECT gen_random_uuid(), m.tenant_id, q.dataset_id, m.id, %s, now()"
    " FROM queries_query q JOIN tenants_membership m"
    " ON m.tenant_id = q.tenant_id AND m.user_id = q.analyst_id WHERE q.id = '{waiting}'"
)
OF_DATASETS = (
    *TERMS_OF_USE,
    *DECLARED,
    *DERIVED,
    *LIVE,
    f"{_FOR_OTHERS}; {_AGAIN}",
    _NAMED_BY % "m.user_id",
    _NAMED_BY % "'{stranger}'",
    _NAMED_BY % "'{owner}'" + "; UPDATE datasets_viewer SET named_at = '2099-01-01'",
)
