from django.apps import AppConfig
from django.core.checks import Tags, register

from dpgov.tenants.checks import known_roles, one_role, own_address


class TenantsConfig(AppConfig):
    name = "dpgov.tenants"

    def ready(self) -> None:
        from dpgov.tenants.oidc import use_strict_provider

        use_strict_provider()
        register(one_role, Tags.database)
        register(known_roles, Tags.security)
        register(own_address, Tags.security)
