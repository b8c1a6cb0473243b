from django.apps import AppConfig

from dpgov.operation.installed import register


class BudgetsConfig(AppConfig):
    name = "dpgov.budgets"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.budgets.changes import CHANGES
        from dpgov.budgets.installed import installed

        kinds.register(CHANGES)
        register(self.label, installed)
