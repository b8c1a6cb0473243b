from django.apps import AppConfig
from django.core import checks

from dpgov.operation.installed import register
from dpgov.queries.checks import bounds_are_in_order
from dpgov.queries.installed import installed


class QueriesConfig(AppConfig):
    name = "dpgov.queries"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.queries.answering.refunding import CHANGES

        kinds.register(CHANGES)
        checks.register(bounds_are_in_order)
        register(self.label, installed)
