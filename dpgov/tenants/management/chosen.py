"""Which tenants a command is about."""

from django.core.management.base import CommandError

from dpgov.tenants.crossing import KnownTenant, tenants


def chosen_tenants(slug: str | None) -> list[KnownTenant]:
    """Every tenant, or the one of this short name; raises CommandError for a wrong name."""
    known = tenants()
    if slug is None:
        return known
    found = [tenant for tenant in known if tenant.slug == slug]
    if not found:
        names = ", ".join(tenant.slug for tenant in known)
        raise CommandError(f"There is no organisation {slug}. There are: {names}.")
    return found
