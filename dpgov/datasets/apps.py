from django.apps import AppConfig

from dpgov.datasets.installed import INSTALLED
from dpgov.operation.installed import register


class DatasetsConfig(AppConfig):
    name = "dpgov.datasets"

    def ready(self) -> None:
        register(self.label, INSTALLED)
