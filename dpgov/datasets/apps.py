from django.apps import AppConfig

from dpgov.operation.installed import register


class DatasetsConfig(AppConfig):
    name = "dpgov.datasets"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.datasets.changes import CHANGES
        from dpgov.datasets.installed import installed

        kinds.register(CHANGES)
        register(self.label, installed)
