from django.apps import AppConfig
from django.core.checks import Tags, register

from dpgov.tenants.checks import known_roles, one_role


class TenantsConfig(AppConfig):
    name = "dpgov.tenants"

    def ready(self) -> None:
        register(one_role, Tags.database)
        register(known_roles, Tags.security)
