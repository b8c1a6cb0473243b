"""Who holds which roles: conditions on memberships, for whoever picks people by their role."""

from datetime import datetime

from django.db.models import Q

from dpgov.tenants.models import Role


def having(*roles: Role) -> Q:
    """Memberships that have one of these roles."""
    return Q(role__in=roles)


def having_since(role: str, moment: datetime) -> Q:
    """Those that have had this role without a break from this moment on."""
    return Q(role=role, role_since__lte=moment)
