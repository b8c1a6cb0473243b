from django.apps import AppConfig

from dpgov.operation.installed import register


class ApprovalsConfig(AppConfig):
    name = "dpgov.approvals"

    def ready(self) -> None:
        from dpgov.approvals import changes, kinds
        from dpgov.approvals.installed import installed

        kinds.register(changes.CHANGES)
        register(self.label, installed)
