"""What the same person tries with terms of use; the names in braces are those of stolen.py.

Terms are the application's to set; who accepted nothing asks nothing, and nobody for another.
"""

_AGAIN = (
    "INSERT INTO queries_query SELECT (jsonb_populate_record(q, jsonb_build_object("
    "'id', gen_random_uuid(), 'idempotency_key', 'unaccepted'))).*"
    " FROM queries_query q WHERE q.id = '{waiting}'"
)
_SET = (
    "INSERT INTO datasets_termsofuse (id, tenant_id, dataset_id, number, text, set_by_id, set_at)"
    " SELECT gen_random_uuid(), tenant_id, id, %s, 'new', owner_id, now() FROM datasets_dataset"
    " WHERE id = (SELECT dataset_id FROM queries_query WHERE id = '{waiting}')"
)
_BY_A_STRANGER = (
    "INSERT INTO datasets_acceptance (tenant_id, terms_id, accepted_by_id, accepted_at)"
    " SELECT tenant_id, id, '{stranger}', now() FROM datasets_termsofuse"
)
TERMS_OF_USE = (f"{_SET % 1}; {_AGAIN}", f"{_SET % 1}; {_BY_A_STRANGER}", _SET % 7)
