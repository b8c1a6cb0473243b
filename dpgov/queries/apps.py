from django.apps import AppConfig
from django.core.checks import register

from dpgov.queries.checks import bounds_are_in_order


class QueriesConfig(AppConfig):
    name = "dpgov.queries"

    def ready(self) -> None:
        register(bounds_are_in_order)
