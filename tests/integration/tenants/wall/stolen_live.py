"""What the same person tries with live tables; the names are those of stolen.py.

A dataset whose rows are elsewhere from now on, a version of a file that is called live, a password
that is sent to another server, and marks by which a table would not be known again.
"""

_TABLE = (
    "INSERT INTO datasets_livetable"
    ' (id, tenant_id, kind, host, port, database, schema, "table", role, path, in_microseconds,'
    " is_cluster, sealed, sealed_at, claim)"
    " VALUES (gen_random_uuid(), '{ours}', 'postgresql', 'mine.example', 5432, 'd', 's', 't', 'r',"
    " '', false, false, '', now(), '')"
    " RETURNING id"
)

_CLAIMED = _TABLE.replace("now(), '')", "now(), 'claimed')")

LIVE = (
    f"WITH live AS ({_TABLE}) UPDATE datasets_dataset d SET live_id = live.id FROM live"
    " WHERE d.id = '{new}'",
    "INSERT INTO datasets_datasetversion SELECT (jsonb_populate_record(v, jsonb_build_object("
    "'id', gen_random_uuid(), 'number', 9, 'file_seal', 'live'))).*"
    " FROM datasets_datasetversion v WHERE v.dataset_id = '{new}'",
    # A table that is there gets another claim, so that its own could be had a second time.
    f"{_CLAIMED}; UPDATE datasets_livetable SET claim = 'free'",
    "UPDATE datasets_livetable SET host = 'mine.example'",
    "UPDATE datasets_livemark SET mark = ''",
    "DELETE FROM datasets_livetable",
    "DELETE FROM datasets_livemark",
)
