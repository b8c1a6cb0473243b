from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core import checks
from django.core.checks import Tags

from dpgov.operation.checks import every_variable_is_read
from dpgov.operation.installed import register
from dpgov.tenants.checks import is_there, known_roles, one_role, own_address
from dpgov.tenants.installed import installed


class TenantsConfig(AppConfig):
    name = "dpgov.tenants"

    def ready(self) -> None:
        from dpgov.tenants.chosen import begin
        from dpgov.tenants.sign_in.oidc import use_strict_provider

        use_strict_provider()
        user_logged_in.connect(begin, dispatch_uid="dpgov.tenants.chosen")
        register(self.label, installed)
        checks.register(is_there, Tags.database)
        checks.register(one_role, Tags.database)
        checks.register(known_roles, Tags.security)
        checks.register(own_address, Tags.security)
        checks.register(every_variable_is_read)
