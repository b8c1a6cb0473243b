from django.apps import AppConfig


class LimitsConfig(AppConfig):
    name = "dpgov.limits"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.limits.changes import CHANGES

        kinds.register(CHANGES)
