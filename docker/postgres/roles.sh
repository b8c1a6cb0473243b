#!/bin/sh
# The roles of an installation: the owner of the tables for migrations, the application, the
# sweeper, which also signs the log, and auditors who only read. None of them is a superuser.
# Safe to repeat: run it again for a new role, after a password changed, or for another database.
# Passwords come from files named like the roles; elsewhere than in the compose file, say where
# they are in SECRETS.
set -eu
cd "${SECRETS:-/run/secrets}"
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-dpgov}" <<'SQL'
\set owner `cat owner_password`
\set app `cat app_password`
\set sweeper `cat sweeper_password`
\set auditor `cat auditor_password`
SELECT format('CREATE ROLE %I LOGIN', wanted.name)
FROM (VALUES ('dpgov_owner'), ('dpgov_app'), ('dpgov_sweeper'), ('dpgov_auditor')) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) \gexec
ALTER ROLE dpgov_owner PASSWORD :'owner';
ALTER ROLE dpgov_app PASSWORD :'app';
ALTER ROLE dpgov_sweeper PASSWORD :'sweeper';
ALTER ROLE dpgov_auditor PASSWORD :'auditor';
SELECT current_database() AS name \gset
ALTER DATABASE :"name" OWNER TO dpgov_owner;
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"name" TO dpgov_app, dpgov_sweeper, dpgov_auditor;
-- Which tenants an auditor may look at is for `manage.py appoint_auditor`; every one, at first.
SQL
