"""Readers of the environment that need more than one line. Part of the composition root.

Must never guess in production: a missing secret outside the embedded profile is an error.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dpgov.configuration.reading import Environment, secret_text
from dpgov.operation.logs import logging_config

_CACHES = {
    "FileBasedCache": "dpgov.operation.sealed.SealedFileCache",
    "RedisCache": "dpgov.operation.steady_cache.SteadyRedisCache",
}

_BROKERS = ("filesystem://", "redis://", "rediss://", "redis+socket://", "sentinel://")


class UnknownCache(ValueError):
    """DPGOV_CACHE_URL names a cache that we do not know how to keep signed values in."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"DPGOV_CACHE_URL must be rediscache:// or filecache://, not {kind}.")


class UnknownBroker(ValueError):
    """DPGOV_BROKER_URL names a broker that wake-ups are not carried by."""

    def __init__(self) -> None:
        super().__init__("DPGOV_BROKER_URL must be redis://, rediss:// or filesystem://.")


# What binds a cookie to this very host; browsers take it on HTTPS alone.
HOST = "__Host-"


def sign_in_settings(env: Environment, *, https: bool) -> dict[str, Any]:
    """Sessions, cookies and forms. Cookies are bound to this very host where browsers allow it.

    A session is kept on the server for hours after the last click, and never beyond the days.
    """
    prefix = HOST if https else ""
    names = {
        "SESSION_COOKIE_NAME": "sessionid",
        "CSRF_COOKIE_NAME": "csrftoken",
        "LANGUAGE_COOKIE_NAME": "django_language",
    }
    return {
        **{name: prefix + value for name, value in names.items()},
        **{f"{kind}_COOKIE_SECURE": https for kind in ("SESSION", "CSRF", "LANGUAGE")},
        "MFA_FORMS": {
            "activate_totp": "dpgov.tenants.sign_in.passkeys.ActivateForm",
            "add_webauthn": "dpgov.tenants.sign_in.passkeys.AddForm",
            "edit_webauthn": "dpgov.tenants.sign_in.passkeys.EditForm",
            "login_webauthn": "dpgov.tenants.sign_in.passkeys.LoginForm",
            "reauthenticate_webauthn": "dpgov.tenants.sign_in.passkeys.ReauthenticateForm",
        },
        "SESSION_ENGINE": "dpgov.tenants.sign_in.sessions",
        "MESSAGE_STORAGE": "dpgov.tenants.sign_in.sessions.MessageStorage",
        "SESSION_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_AGE": int(
            env.float("DPGOV_SESSION_IDLE_HOURS", default=12, least=0.01) * 3600
        ),
    }


def cache_settings(env: Environment, home: Path) -> dict[str, Any]:
    """Django's cache: files in the state folder, or a Redis that may be away for a while.

    Both keep signed JSON. Raises UnknownCache for any other, which would keep pickles.
    """
    cache: dict[str, Any] = env.cache("DPGOV_CACHE_URL", default=f"filecache://{home / 'cache'}")
    kind = str(cache["BACKEND"]).rpartition(".")[2]
    if kind not in _CACHES:
        raise UnknownCache(kind)
    cache["BACKEND"] = _CACHES[kind]
    password = secret_text(env, "DPGOV_REDIS_PASSWORD")
    if kind == "RedisCache" and password:
        places = cache["LOCATION"] if isinstance(cache["LOCATION"], list) else [cache["LOCATION"]]
        cache["LOCATION"] = [_with_password(place, password) for place in places]
    return cache


def rates_settings(env: Environment, home: Path) -> dict[str, Any]:
    """Where requests are counted: in Redis, or in the memory of the one machine's web process.

    Files cannot be added to in one step.
    """
    cache = cache_settings(env, home)
    if not cache["BACKEND"].endswith("SteadyRedisCache"):
        memory = "django.core.cache.backends.locmem.LocMemCache"
        return {"BACKEND": memory, "LOCATION": "rates", "OPTIONS": {"MAX_ENTRIES": 100_000}}
    return {**cache, "KEY_PREFIX": "rates"}


def _with_password(url: str, password: str) -> str:
    """The address of a Redis server with the password in it, unless it names one itself."""
    scheme, found, place = url.partition("://")
    if not found or "@" in place or not scheme.startswith(("redis", "unix")):
        return url
    return f"{scheme}://:{quote(password, safe='')}@{place}"


def log_settings(env: Environment) -> dict[str, Any]:
    """What `logging.config` takes; also for processes that never set Django up."""
    form = env.str("DPGOV_LOG_FORMAT", default="console")
    return logging_config(form, env.str("DPGOV_LOG_LEVEL", default="INFO").upper())


def database_settings(env: Environment, home: Path) -> dict[str, Any]:
    """SQLite in the state folder unless DPGOV_DATABASE_URL names a PostgreSQL server."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    default = f"sqlite:///{home / 'dpgov.sqlite3'}"
    settings: dict[str, Any] = env.db("DPGOV_DATABASE_URL", default=default)
    # Kept between requests and tasks: opening one takes as long as answering a question.
    settings |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    if password := secret_text(env, "DPGOV_DATABASE_PASSWORD"):
        settings["PASSWORD"] = password
    if "sqlite" in settings["ENGINE"]:
        settings["ENGINE"] = "dpgov.operation.sqlite"
        _close_to_others(Path(settings["NAME"]))
        # IMMEDIATE: take the write lock first, so that two writers queue and never deadlock.
        # FULL: a released answer must not outlive its charge when the power fails.
        # recursive_triggers: without it REPLACE deletes rows past the append-only triggers.
        settings["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
            "PRAGMA recursive_triggers=ON;",
        }
        # A file, as in life: tests race several processes against it.
        settings["TEST"] = {"NAME": str(home / "test.sqlite3")}
    else:
        # A server that is away should be noticed before somebody's patience ends.
        settings["OPTIONS"] = {"connect_timeout": 5, **settings.get("OPTIONS", {})}
        # Row-level security makes statements look expensive that are not: compiling them first
        # takes longer than running them.
        told = settings["OPTIONS"].get("options", "")
        settings["OPTIONS"]["options"] = f"{told} -c jit=off".strip()
    return settings


def _close_to_others(path: Path) -> None:
    """The file is its owner's alone from the first byte; SQLite's own files beside it follow."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def broker_settings(env: Environment, home: Path) -> dict[str, Any]:
    """Celery over the filesystem unless DPGOV_BROKER_URL names a Redis server.

    The broker carries wake-ups only; whatever it loses, the sweep sends again.
    """
    url = env.str("DPGOV_BROKER_URL", default="filesystem://")
    if not url.startswith(_BROKERS):
        raise UnknownBroker
    if password := secret_text(env, "DPGOV_REDIS_PASSWORD"):
        url = _with_password(url, password)
    hidden = 10 * 60 + env.int("DPGOV_QUERY_SECONDS", default=30)
    # A server that is stopped, or swaps, still takes connections: nobody who asks waits for it.
    # Workers wait until there is something to read, however long.
    options: dict[str, Any] = {
        "visibility_timeout": hidden,
        "socket_connect_timeout": 1,
        "socket_timeout": 2,
    }
    prefetch = 1
    if url.startswith("filesystem"):
        folder = home / "broker"
        for made in (folder, home / "broker-control"):
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        options = {
            "data_folder_in": str(folder),
            "data_folder_out": str(folder),
            "control_folder": str(home / "broker-control"),
            "polling_interval": 0.01,
        }
        # A full prefetch window is looked at every two seconds only; without one, at once.
        prefetch = 0
    return {
        **_reading_settings(env),
        "CELERY_BROKER_URL": url,
        "CELERY_BROKER_TRANSPORT_OPTIONS": options,
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_ACCEPT_CONTENT": ["json"],
        "CELERY_RESULT_ACCEPT_CONTENT": ["json"],
        "CELERY_TASK_SERIALIZER": "json",
        "CELERY_RESULT_SERIALIZER": "json",
        "CELERY_EVENT_SERIALIZER": "json",
        "CELERY_TASK_IGNORE_RESULT": True,
        # Commands to workers would come through the broker, from whoever can write there.
        "CELERY_WORKER_ENABLE_REMOTE_CONTROL": False,
        "CELERY_TASK_ACKS_LATE": True,
        "CELERY_TASK_REJECT_ON_WORKER_LOST": True,
        "CELERY_WORKER_REDIRECT_STDOUTS": False,
        "CELERY_WORKER_PREFETCH_MULTIPLIER": prefetch,
        "CELERY_WORKER_MAX_TASKS_PER_CHILD": 1000,
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_TASK_PUBLISH_RETRY": False,
    }


def upload_megabytes(env: Environment) -> int:
    """The largest upload."""
    return env.int("DPGOV_UPLOAD_MAX_MB", default=2048)


def deriving_seconds(env: Environment) -> int:
    """How long a reader may be at one derived dataset."""
    return 4 * env.int("DPGOV_INGEST_SECONDS", default=300) + 120


def reading_seconds(env: Environment) -> int:
    """How long one task of a reader may take, with everything that it waits for."""
    # The largest file; it may have to be read again, beside others of its budget.
    return deriving_seconds(env) + 4 * upload_megabytes(env)


def _reading_settings(env: Environment) -> dict[str, Any]:
    """Files are read apart from questions: another queue, other workers, other bounds."""
    longest = reading_seconds(env)
    bounds = {"soft_time_limit": longest, "time_limit": longest + 10}
    return {
        "CELERY_TASK_ROUTES": {"dpgov.datasets.*": {"queue": "reading"}},
        "CELERY_TASK_ANNOTATIONS": {"dpgov.datasets.read": bounds},
    }


def email_settings(env: Environment, home: Path) -> dict[str, Any]:
    """A mail server if DPGOV_EMAIL_URL names one; otherwise letters become files in a folder."""
    if url := secret_text(env, "DPGOV_EMAIL_URL"):
        return dict(env.email_url_config(url))
    backend = "dpgov.tenants.mail_folder.EmailBackend"
    return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": str(home / "mail")}
