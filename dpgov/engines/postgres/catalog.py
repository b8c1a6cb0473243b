"""What is asked of a server's catalog: questions about forms and rights, none about rows."""

IS_UNICODE = "SELECT current_setting('server_encoding') = 'UTF8'"

# AT TIME ZONE takes CET or EET for an abbreviation first, which has no summer time.
HAS_ZONE = """
SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1::text)
AND (upper($1::text) = ANY ('{UTC, UCT, GMT, ZULU}')
  OR NOT EXISTS (SELECT FROM pg_timezone_abbrevs WHERE upper(abbrev) = upper($1::text)))
"""

TABLE = """
SELECT c.oid::bigint, c.relkind::text FROM pg_class AS c JOIN pg_namespace AS n
ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relname = $2::text
"""

# What is computed when it is read may fail by what is in its row: no type of ours stands for it.
COLUMNS = """
SELECT attname::text, CASE WHEN attgenerated = 'v' THEN 0 ELSE atttypid END::bigint
FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped
"""

CAN_READ = "SELECT has_table_privilege($1::oid, 'SELECT')"

# By any role that the one who asks is, or could become. Superusers could become anybody.
CAN_WRITE = """
SELECT EXISTS (
  SELECT FROM pg_roles AS r, pg_class AS c
  WHERE c.oid = $1::oid AND pg_has_role(current_user, r.oid, 'MEMBER') AND (
    r.rolsuper OR r.oid = c.relowner
    OR has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    OR has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE')))
"""

# What is read for an answer: the table itself, what inherits from it or is a part of it, and for a
# view what that reads. A materialised view has its rows, whatever they were made of.
_READ = """
WITH RECURSIVE rule AS (
  SELECT ev_action::text AS tree FROM pg_rewrite
  WHERE ev_class = $1::oid AND rulename = '_RETURN'
), read (id) AS (
  SELECT $1::oid
  UNION SELECT found[1]::oid FROM rule, regexp_matches(tree, ':relid ([0-9]+)', 'g') AS found
  UNION SELECT inhrelid FROM pg_inherits JOIN read ON inhparent = id
)"""

# Whatever its rows come from, through views and materialised views of any depth, as they are called
# on this server; what is no table of its own is none of them.
RELATIONS = """
WITH RECURSIVE made (id) AS (
  SELECT $1::oid
  UNION SELECT source FROM made, LATERAL (
    SELECT found[1]::oid FROM pg_rewrite,
      regexp_matches(ev_action::text, ':relid ([0-9]+)', 'g') AS found
    WHERE ev_class = made.id AND rulename = '_RETURN'
    UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = made.id
  ) AS sources (source)
)
SELECT c.oid::bigint, n.nspname::text, c.relname::text
FROM made JOIN pg_class AS c ON c.oid = id JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm', 'v') ORDER BY c.oid <> $1::oid, c.oid
"""

# A number that the server was given when it was made; a standby has its primary's. Anybody may ask
# unless somebody forbade it.
MAY_SAY_SYSTEM = "SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')"
SYSTEM = "SELECT system_identifier::text FROM pg_control_system()"
DATABASE = "SELECT oid::bigint FROM pg_database WHERE datname = current_database()"

HAS_FOREIGN_PARTS = f"""{_READ}
SELECT EXISTS (SELECT FROM read JOIN pg_class ON oid = id WHERE relkind = 'f')
"""  # noqa: S608 - of texts of this file alone, as are the next ones

HAS_ROW_SECURITY = f"""{_READ}
SELECT EXISTS (SELECT FROM read JOIN pg_class ON oid = id WHERE relrowsecurity)
"""  # noqa: S608

# A view that takes columns and rows of tables, and compares: by operators and functions of the
# database itself that are leakproof, which is to say that they never fail by what they are given.
IS_PLAIN_VIEW = f"""{_READ}, run (id) AS (
  SELECT found[1]::oid FROM rule, regexp_matches(tree, ':funcid ([0-9]+)', 'g') AS found
  UNION SELECT oprcode FROM rule, regexp_matches(tree, ':opno ([0-9]+)', 'g') AS found
  LEFT JOIN pg_operator AS o ON o.oid = found[1]::oid
)
SELECT EXISTS (SELECT FROM rule WHERE tree !~ ':limit(Offset|Count) [{{]')
AND NOT EXISTS (
  SELECT FROM rule, regexp_matches(tree, '[{{]([A-Z_]+)', 'g') AS found
  WHERE found[1] <> ALL ('{{QUERY, RTE, RANGETBLENTRY, RTEPERMISSIONINFO, ALIAS, FROMEXPR, JOINEXPR,
    RANGETBLREF, TARGETENTRY, VAR, CONST, RELABELTYPE, OPEXPR, FUNCEXPR, BOOLEXPR, NULLTEST,
    BOOLEANTEST, CASE, CASEEXPR, WHEN, CASEWHEN, COALESCE, COALESCEEXPR}}'))
AND NOT EXISTS (
  SELECT FROM run LEFT JOIN pg_proc AS p ON p.oid = run.id
  WHERE p.pronamespace IS DISTINCT FROM 'pg_catalog'::regnamespace
  OR NOT p.proleakproof OR p.provolatile = 'v')
AND NOT EXISTS (
  SELECT FROM read LEFT JOIN pg_class AS c ON c.oid = read.id
  WHERE read.id <> $1::oid AND coalesce(c.relkind NOT IN ('r', 'p', 'm'), true))
AND NOT EXISTS (SELECT FROM read JOIN pg_attribute ON attrelid = id WHERE attgenerated = 'v')
"""  # noqa: S608
