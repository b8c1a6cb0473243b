from django.apps import AppConfig

from dpgov.datasets.installed import installed
from dpgov.operation.installed import register


class DatasetsConfig(AppConfig):
    name = "dpgov.datasets"

    def ready(self) -> None:
        register(self.label, installed)
