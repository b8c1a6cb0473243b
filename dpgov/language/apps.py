from django.apps import AppConfig


class LanguageConfig(AppConfig):
    name = "dpgov.language"
