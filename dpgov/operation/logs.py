"""One line for each event, for our own loggers and for those of Django, Celery and gunicorn.

Must never write the text of an exception: a database quotes the row that it refused, an engine the
value that it could not read. The line says what kind of error it was and where it came from.
"""

import re
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

import structlog

FORMATS = ("json", "console")

Event = MutableMapping[str, Any]
_DEEPEST = 10
_STEPS = 5
_QUOTES_PATHS = ("django.", "gunicorn.")
_PATH = re.compile(r"(?<![^\s'\"(])/\S*")
# These say in many words what our own lines say, or write durations of questions or the text of
# exceptions into their message.
_QUIET = {
    "celery.app.trace": "CRITICAL",
    "celery.worker.strategy": "WARNING",
    "django.request": "ERROR",
    "django.security.DisallowedHost": "CRITICAL",
    "django.server": "WARNING",
    # It would write every letter that a report uses.
    "fontTools": "WARNING",
    "fpdf": "WARNING",
    "gunicorn.access": "CRITICAL",
}


class UnknownLogFormat(ValueError):
    """DPGOV_LOG_FORMAT is neither json nor console."""

    def __init__(self, given: str) -> None:
        super().__init__(f"DPGOV_LOG_FORMAT is {given!r}; it must be json or console.")


def logging_config(form: str, level: str) -> dict[str, Any]:
    """A configuration for `logging.config.dictConfig`: everything goes to standard error."""
    if form not in FORMATS:
        raise UnknownLogFormat(form)
    formatter = {
        "()": "structlog.stdlib.ProcessorFormatter",
        "foreign_pre_chain": _BEFORE,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, _writer(form)],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # They come with handlers of their own, which would say everything twice.
            **{name: _handed_on(level) for name in ("django", "gunicorn.error")},
            **{name: _handed_on(quiet) for name, quiet in _QUIET.items()},
        },
    }


def _handed_on(level: str) -> dict[str, Any]:
    return {"handlers": [], "level": level, "propagate": True}


def configure_structlog() -> None:
    """Send what `structlog.get_logger` writes through the handlers of `logging_config`."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_BEFORE,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _writer(form: str) -> Any:
    if form == "json":
        return structlog.processors.JSONRenderer(sort_keys=True, default=str)
    return structlog.dev.ConsoleRenderer(colors=False)


def error_without_text(_: object, __: str, event: Event) -> Event:
    """Put the kinds of an error and its causes, and their places, where its text would be."""
    told = event.pop("exc_info", None)
    event.pop("stack_info", None)
    error = told[1] if isinstance(told, tuple) else told
    if told is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        event["error"] = [f"{type(one).__name__} at {_place(one)}" for one in _chain(error)]
    return event


def _chain(error: BaseException) -> list[BaseException]:
    """The error and what it came from, the last first."""
    chain = [error]
    while (cause := _cause(chain[-1])) is not None and len(chain) < _DEEPEST:
        chain.append(cause)
    return chain


def _cause(error: BaseException) -> BaseException | None:
    if error.__cause__ is not None:
        return error.__cause__
    return None if error.__suppress_context__ else error.__context__


def _place(error: BaseException) -> str:
    """The last steps before it was raised, innermost last: "submit.py:84 steps.py:12"."""
    steps = traceback.extract_tb(error.__traceback__)[-_STEPS:]
    return " ".join(f"{Path(s.filename).name}:{s.lineno}" for s in steps) or "an unknown place"


def without_paths(_: object, __: str, event: Event) -> Event:
    """Django and gunicorn quote the path of a request, and a path may hold a key that signs in."""
    if str(event.get("logger")).startswith(_QUOTES_PATHS):
        event["event"] = _PATH.sub("(a path)", str(event["event"]))
    return event


def one_line(_: object, __: str, event: Event) -> Mapping[str, Any]:
    """Line breaks and control characters in a message would make two events of one."""
    event["event"] = "".join(c if c.isprintable() else " " for c in str(event["event"]))
    return event


_BEFORE: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.PositionalArgumentsFormatter(),
    error_without_text,
    without_paths,
    one_line,
]
