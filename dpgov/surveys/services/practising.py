"""Where people practise, everybody who answers is invented: no real person loses anything there.

Their loss would be in no figure of their organisation. So no real person gets a token there, and no
report comes in by the public door; only who makes the invented people says that they are.
"""

from dpgov.surveys.errors import OnlyInvented
from dpgov.tenants.models import Tenant


def refuse_real_people(tenant: Tenant, *, invented: bool = False) -> None:
    """Raises OnlyInvented."""
    if tenant.is_practice and not invented:
        raise OnlyInvented
