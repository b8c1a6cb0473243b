from django.apps import AppConfig

from dpgov.budgets.installed import installed
from dpgov.operation.installed import register


class BudgetsConfig(AppConfig):
    name = "dpgov.budgets"

    def ready(self) -> None:
        register(self.label, installed)
