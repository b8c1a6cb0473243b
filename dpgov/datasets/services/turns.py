"""One at a time where two decisions at once would contradict each other."""

from dpgov.tenants.models import Tenant


def queue_up(tenant: Tenant) -> None:
    """Hold the tenant's turn to the end of the transaction.

    A free slug, a known fingerprint or a lower limit is then not decided twice at once. It does
    not hold up whoever only refers to the tenant, such as a submitted question.
    """
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
