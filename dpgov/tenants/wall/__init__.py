"""The second wall: what PostgreSQL itself refuses, even to a query that forgot its tenant.

Row-level security, foreign keys that carry the tenant, and roles that may do only what their
process needs. Made from the model registry after every migration, so that no table is forgotten.
"""
