"""What this process counts while it runs, for the metrics page.

Must never count anything whose number depends on data, and has no label that names a tenant, a
person, a dataset or a question. With PROMETHEUS_MULTIPROC_DIR the processes of one web server add
up; without it each tells its own.
"""

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.multiprocess import MultiProcessCollector

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_OWN = CollectorRegistry()
if _FOLDER in os.environ:
    # A command in a web server's environment counts there too, and may come first.
    Path(os.environ[_FOLDER]).mkdir(mode=0o700, parents=True, exist_ok=True)

_requests = Counter(
    "dpgov_requests",
    "Requests answered, by route, method and class of status.",
    ("method", "route", "status"),
    registry=_OWN,
)
_refusals = Counter(
    "dpgov_budget_refusals", "Questions refused because a budget was too small.", registry=_OWN
)
_broker_failures = Counter(
    "dpgov_broker_failures", "Messages that the broker did not take.", registry=_OWN
)


def count_request(*, method: str, route: str, status: int) -> None:
    """One more answered request; a method that nobody knows is called other."""
    _requests.labels(method if method in _METHODS else "other", route, f"{status // 100}xx").inc()


def count_budget_refusal() -> None:
    """One more question that did not fit a budget."""
    _refusals.inc()


def count_broker_failure() -> None:
    """One more message that has to be sent again by the sweep."""
    _broker_failures.inc()


def registry() -> CollectorRegistry:
    """A new registry with the tallies of all processes that share a folder, or of this one."""
    registry = CollectorRegistry()
    if _FOLDER in os.environ:
        MultiProcessCollector(registry)
    else:
        registry.register(_OWN)
    return registry
