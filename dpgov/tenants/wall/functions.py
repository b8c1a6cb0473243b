"""Functions in the database: what policies ask, and the narrow gates through the wall.

A gate is a function that runs with the rights of the tables' owner and sees every tenant. It must
give away no more than its name says, and the application's role is the only other one to use it.
"""

from dpgov.operation.installed import Installed

# A function of an ordinary role may set search_path for itself, but no setting of our own. So
# this name, of a schema that does not exist, is how a gate says that it looks at every tenant;
# the policies believe it from the owner of the tables only.
EVERY_TENANT = "dpgov_every_tenant"

# NULL is nobody: no comparison with it is true.
ASKED_BY_POLICIES = f"""
CREATE OR REPLACE FUNCTION dpgov_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN current_setting('dpgov.tenant', true) IN ('', 'all') THEN NULL
                ELSE current_setting('dpgov.tenant', true)::uuid END
$$;
CREATE OR REPLACE FUNCTION dpgov_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NULLIF(current_setting('dpgov.user', true), '')::uuid
$$;
CREATE OR REPLACE FUNCTION dpgov_every_tenant() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('dpgov.tenant', true), '') = 'all'
        OR current_setting('search_path') LIKE '%{EVERY_TENANT}'
$$;
"""

_GATE = """
CREATE OR REPLACE FUNCTION {signature} RETURNS {returns}
LANGUAGE {language} {volatility} SECURITY DEFINER
SET search_path = pg_catalog, {schema}, pg_temp, {every_tenant} AS $gate$
{body}
$gate$;
REVOKE EXECUTE ON FUNCTION {signature} FROM PUBLIC;
"""


def gate(
    signature: str,
    *,
    returns: str,
    body: str,
    language: str = "sql",
    volatility: str = "STABLE",
) -> Installed:
    """One gate; nothing on SQLite.

    `signature` is "name(argument types)"; the body names arguments $1, $2, … and every table
    without a schema. `migrate` lets the application's role use it.
    """
    made = _GATE.format(
        signature=signature,
        returns=returns,
        language=language,
        volatility=volatility,
        schema="{schema}",
        every_tenant=EVERY_TENANT,
        body=body.strip(),
    )
    return Installed(functions=(signature.partition("(")[0],), postgresql=(made,))
