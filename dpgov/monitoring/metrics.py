"""Numbers for Prometheus, for whoever knows the operator's token and for nobody else.

Must never tell a number that depends on data, and no tenant, person, dataset or question: counts
of requests and of questions by state, ages and sizes are all there is. Durations are not.
"""

import shutil
import time
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dpgov.audit.selectors import entries_of, log_size, newest_checkpoint
from dpgov.datasets.crossing import next_arrivals
from dpgov.datasets.services.arrivals.taking import ATTEMPTS
from dpgov.joint.heard import workers_missed
from dpgov.noise_check.findings import Verdict, last_report
from dpgov.operation.tallies import registry
from dpgov.queries.answering.heartbeat import last_beat
from dpgov.queries.answering.tasks import messages
from dpgov.queries.answering.turns import waiting_by_lane
from dpgov.queries.answering.workers import seen_by_nobody, workers
from dpgov.queries.crossing import backlog
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants

_MOST_FILES = 1000


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus's text format. Missing for everybody as long as no token is set."""
    token = settings.DPGOV_METRICS_TOKEN
    if not token:
        raise Http404
    offered = request.headers.get("Authorization", "")
    if not constant_time_compare(offered, f"Bearer {token}"):
        refused = HttpResponse("a token is needed", content_type="text/plain", status=401)
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused
    collected = registry()
    collected.register(_Installation())
    return HttpResponse(generate_latest(collected), content_type=CONTENT_TYPE_LATEST)


class _Installation(Collector):
    """What the database and the sweeper know, read anew for each visit."""

    def describe(self) -> list[Metric]:
        """Nothing in advance: without this the numbers would be read at registration."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Every number once, whichever process is asked."""
        yield from _queries()
        yield _files()
        yield from _queue()
        yield from _workers()
        yield from _room()
        yield from _sweeps()
        yield from _logs()
        yield from _noise_check()


def _queries() -> Iterator[Metric]:
    now = backlog()
    states = GaugeMetricFamily("dpgov_queries", "Questions by state.", labels=["state"])
    for state, count in now.by_state.items():
        states.add_metric([state], count)
    yield states
    yield GaugeMetricFamily(
        "dpgov_oldest_waiting_seconds",
        "Age of the oldest question that has not ended.",
        value=now.oldest_waiting_seconds,
    )


def _files() -> Metric:
    return GaugeMetricFamily(
        "dpgov_files_waiting",
        "Files that shall be registered and that nobody reads at present, up to a thousand.",
        value=len(next_arrivals(ATTEMPTS, _MOST_FILES)),
    )


def _queue() -> Iterator[Metric]:
    """What waits by lane, and the messages; absent as long as the broker does not say how many."""
    lanes = GaugeMetricFamily(
        "dpgov_waiting", "Questions that a worker could take now, by lane.", labels=["lane"]
    )
    for heavy, waiting in waiting_by_lane().items():
        lanes.add_metric(["heavy" if heavy else "light"], waiting.number)
    yield lanes
    if (number := messages()) is not None:
        yield GaugeMetricFamily(
            "dpgov_messages", "Messages in the broker that no worker has taken yet.", value=number
        )


def _workers() -> Iterator[Metric]:
    ready, unready = workers()
    told = GaugeMetricFamily(
        "dpgov_workers", "Workers heard of within the last minute.", labels=["state"]
    )
    told.add_metric(["ready"], ready)
    told.add_metric(["unready"], unready)
    yield told
    yield GaugeMetricFamily(
        "dpgov_data_files_unseen",
        "Data files that questions wait for and that no worker sees.",
        value=len(seen_by_nobody()),
    )
    yield GaugeMetricFamily(
        "dpgov_joint_workers_missed",
        "Organisations with a joint question under way and no worker of their own for a minute.",
        value=workers_missed(),
    )


def _room() -> Iterator[Metric]:
    """Of the state folder, where uploads and data files go."""
    free = shutil.disk_usage(settings.DPGOV_HOME).free
    yield GaugeMetricFamily(
        "dpgov_state_folder_free_bytes", "Room left in the state folder.", value=free
    )


def _logs() -> Iterator[Metric]:
    """The logs of all tenants together, and of the one that waits longest since when it does."""
    entries, unsigned, longest = 0, 0, 0.0
    for known in tenants():
        with acting_for(known.id):
            size, signed = log_size(known.id), newest_checkpoint(known.id)
            covered = signed.size if signed else 0
            if covered < size:
                since = signed or entries_of(known.id).last()
                longest = max(longest, _age(since.at) if since else 0.0)
        entries += size
        unsigned += size - covered
    told = {
        "dpgov_audit_entries": ("Entries in all logs.", entries),
        "dpgov_audit_entries_unsigned": ("Those that no checkpoint covers yet.", unsigned),
        "dpgov_checkpoint_age_seconds": (
            "Age of the last checkpoint of the log that waits longest for its next one; of a log "
            "that has none, of its first entry; of one from the future, how far off that is.",
            longest,
        ),
    }
    for name, (meaning, value) in told.items():
        yield GaugeMetricFamily(name, meaning, value=value)


def _age(at: datetime) -> float:
    """In seconds. What is dated in the future is as wrong as it is far off, and not young."""
    return abs(time.time() - at.timestamp())


def _sweeps() -> Iterator[Metric]:
    """Absent until a sweeper has said its first word, on whichever machine."""
    if (beat := last_beat()) is None:
        return
    done = beat.sweeps
    told = {
        "rounds": ("Rounds of the sweeper since its start.", done.rounds),
        "sent_again": ("Messages that it sent again.", done.sent),
        "given_up": ("Questions that it ended without an answer.", done.given_up),
        "broken_off": ("Rounds that ended because a server was away.", done.broken_off),
    }
    for name, (meaning, value) in told.items():
        yield CounterMetricFamily(f"dpgov_sweeper_{name}", meaning, value=value)
    yield GaugeMetricFamily(
        "dpgov_sweeper_age_seconds", "Time since its last round.", value=beat.age
    )
    yield GaugeMetricFamily(
        "dpgov_sweeper_start_time_seconds",
        "When it was started, in seconds since 1970.",
        value=beat.started_at.timestamp(),
    )


def _noise_check() -> Iterator[Metric]:
    """Absent until there was one. It is about made-up tables, so that it tells of no data."""
    if (report := last_report()) is None:
        return
    told = {
        "dpgov_noise_check_ok": (
            "1 if the last noise check found every claim kept and caught every control.",
            float(report.verdict is Verdict.FINE),
        ),
        "dpgov_noise_check_broken": (
            "Claims that the last noise check found broken.",
            sum(finding.verdict is Verdict.BROKEN for finding in report.findings),
        ),
        "dpgov_noise_check_age_seconds": ("Time since the last noise check.", report.age),
    }
    for name, (meaning, value) in told.items():
        yield GaugeMetricFamily(name, meaning, value=value)
