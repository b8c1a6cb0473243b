"""What the same person tries with joint questions; the names in braces are those of stolen.py.

A key goes out once, and a share is of a question that everybody opened: two of the application's
own writes. Places and openings are no writes of its own at all, and a place takes an approved hold.
"""

_FORGED = "00000000-0000-4000-8000-0000000010e7"
JOINT = (
    "INSERT INTO joint_jointquestion SELECT (jsonb_populate_record(q, jsonb_build_object("
    f"'id', '{_FORGED}', 'code_hash', 'forged', 'opened_at', now()))).*"
    " FROM joint_jointquestion q WHERE q.id = '{joint}'",
    "UPDATE joint_jointquestion SET opened_at = now() WHERE id = '{joint}'",
    "UPDATE joint_jointquestion SET plan = '{{}}' WHERE id = '{joint}'",
    "UPDATE joint_party SET public_key = 'another' WHERE id = '{party}'",
    "UPDATE joint_party SET query_id = '{query}' WHERE id = '{party}'",
    "INSERT INTO joint_party SELECT (jsonb_populate_record(p, jsonb_build_object("
    f"'id', '{_FORGED}', 'place', 1, 'query_id', '{{query}}'))).*"
    " FROM joint_party p WHERE p.id = '{party}'",
    "INSERT INTO joint_share (party_id, tenant_id, masked) VALUES ('{party}', '{ours}', '00')",
    "DELETE FROM joint_party WHERE id = '{party}'",
    # A place with a question that nobody approved and that holds nothing, by the gate.
    "INSERT INTO joint_jointquestion SELECT (jsonb_populate_record(q, jsonb_build_object("
    f"'id', '{_FORGED}', 'code_hash', 'forged', 'expires_at', now() + interval '1 day'))).*"
    " FROM joint_jointquestion q WHERE q.id = '{joint}';"
    "INSERT INTO queries_query SELECT (jsonb_populate_record(y, jsonb_build_object("
    f"'id', '{_FORGED}', 'idempotency_key', 'forged', 'state', 'running'))).*"
    " FROM queries_query y WHERE y.id = '{waiting}';"
    f"SELECT 1 FROM joint_join('{_FORGED}', 'forged', '{_FORGED}', '{_FORGED}') AS place"
    " WHERE place IS NOT NULL",
)
