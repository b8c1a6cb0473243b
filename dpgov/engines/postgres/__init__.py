"""The engine for tables that stay where they are, in an owner's PostgreSQL.

Nothing leaves the owner's server but the integers of an answer: cells become lattice codes in the
same statement that counts them. `coding`, `dates` and `computed` say how, by the rules of
`engines.ingest`, so that one plan has the same integers in both, and `conditions` what is asked of
a cell without its code. `rows` makes of them the table that a scan reads, `checking` looks by
metadata alone whether a source can be read like that, and `engine` asks.
"""
