from django.apps import AppConfig

from dpgov.operation.installed import register


class SurveysConfig(AppConfig):
    name = "dpgov.surveys"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.surveys.changes import CHANGES
        from dpgov.surveys.installed import installed

        kinds.register(CHANGES)
        register(self.label, installed)
