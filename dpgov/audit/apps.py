from django.apps import AppConfig

from dpgov.audit.installed import INSTALLED
from dpgov.operation.installed import register


class AuditConfig(AppConfig):
    name = "dpgov.audit"

    def ready(self) -> None:
        register(self.label, INSTALLED)
