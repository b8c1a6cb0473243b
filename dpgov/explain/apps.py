from django.apps import AppConfig


class ExplainConfig(AppConfig):
    name = "dpgov.explain"
