from django.apps import AppConfig

from dpgov.approvals.installed import installed
from dpgov.operation.installed import register


class ApprovalsConfig(AppConfig):
    name = "dpgov.approvals"

    def ready(self) -> None:
        from dpgov.approvals import changes, kinds

        kinds.register(changes.CHANGES)
        register(self.label, installed)
