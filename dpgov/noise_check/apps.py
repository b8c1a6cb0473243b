from django.apps import AppConfig


class NoiseCheckConfig(AppConfig):
    name = "dpgov.noise_check"
