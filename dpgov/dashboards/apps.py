from django.apps import AppConfig


class DashboardsConfig(AppConfig):
    name = "dpgov.dashboards"
