from django.apps import AppConfig

from dpgov.audit.installed import installed
from dpgov.operation.installed import register


class AuditConfig(AppConfig):
    name = "dpgov.audit"

    def ready(self) -> None:
        register(self.label, installed)
