"""Through which door a request comes: programs are answered in the API's form and in English."""

from django.http import HttpRequest

_API = "/api/"
_METRICS = "/metrics"


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks through the REST API."""
    return request.path_info.startswith(_API)


def is_metrics(request: HttpRequest) -> bool:
    """Whether a collector reads the metrics."""
    return request.path_info.startswith(_METRICS)
