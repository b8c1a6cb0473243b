"""What surveys need in the database: guards, and the gate from a public address to its tenant."""

from dpgov.operation.installed import Installed
from dpgov.surveys.guards import guards
from dpgov.tenants.wall.functions import gate
from dpgov.tenants.wall.guards import installed_guards


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        gate(
            "surveys_tenant_of(text)",
            returns="uuid",
            body="SELECT tenant_id FROM surveys_survey WHERE code = $1 AND state <> 'draft'",
        ),
        *installed_guards(guards),
    )
