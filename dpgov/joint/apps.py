from django.apps import AppConfig

from dpgov.operation.installed import register


class JointConfig(AppConfig):
    name = "dpgov.joint"

    def ready(self) -> None:
        from dpgov.approvals import kinds
        from dpgov.joint.changes import CHANGES
        from dpgov.joint.installed import installed

        kinds.register(CHANGES)
        register(self.label, installed)
