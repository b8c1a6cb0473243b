from django.apps import AppConfig
from django.core import checks

from dpgov.operation.installed import register


class DatasetsConfig(AppConfig):
    name = "dpgov.datasets"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.datasets.changes import CHANGES
        from dpgov.datasets.checks import nothing_is_lacking
        from dpgov.datasets.installed import installed

        kinds.register(CHANGES)
        checks.register(nothing_is_lacking)
        register(self.label, installed)
