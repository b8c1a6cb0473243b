from django.apps import AppConfig


class SweeperConfig(AppConfig):
    name = "dpgov.sweeper"
