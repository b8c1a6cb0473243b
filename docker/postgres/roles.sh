#!/bin/sh
# The roles of an installation, made once, while the data folder is new: the owner of the tables
# for migrations, the application, and auditors who only read. None of them is a superuser.
# Passwords come from files named like the roles; elsewhere than in the compose file, say where
# they are in SECRETS.
set -eu
cd "${SECRETS:-/run/secrets}"
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-dpgov}" <<'SQL'
\set owner `cat owner_password`
\set app `cat app_password`
\set auditor `cat auditor_password`
CREATE ROLE dpgov_owner LOGIN PASSWORD :'owner';
CREATE ROLE dpgov_app LOGIN PASSWORD :'app';
CREATE ROLE dpgov_auditor LOGIN PASSWORD :'auditor';
SELECT current_database() AS name \gset
ALTER DATABASE :"name" OWNER TO dpgov_owner;
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"name" TO dpgov_app, dpgov_auditor;
-- An auditor looks at every tenant; put one tenant's id here to show that one only.
ALTER ROLE dpgov_auditor IN DATABASE :"name" SET dpgov.tenant = 'all';
SQL
