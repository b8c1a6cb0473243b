"""One at a time where two decisions at once would contradict each other."""

from dpgov.tenants.models import Tenant
from dpgov.tenants.selectors import hold_turn


def queue_up(tenant: Tenant) -> None:
    """Hold the tenant's turn to the end of the transaction.

    A free slug, a known fingerprint or a lower limit is then not decided twice at once.
    """
    hold_turn(tenant.pk)
