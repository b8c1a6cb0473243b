"""The engine for Parquet files on shared storage, asked where they are through Spark Connect.

Nothing leaves the owner's cluster but the integers of an answer: cells become lattice codes in the
same statement that counts them. `coding`, `dates` and `computed` say how, by the rules of
`engines.ingest`, so that one plan has the same integers everywhere. `rows` makes of them the table
that a scan reads, `checking` looks by metadata alone whether a source can be read like that,
`server` opens a session that depends on nobody's settings, and `engine` asks. The client is
imported there, when a session is opened: who has no such source need not have it.
"""
