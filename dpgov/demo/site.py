"""The demonstration's web server: a copy of this process, which has everything loaded already.

Starting another Python would take as long again as all the rest of a second start.
"""

import os
import signal
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connections
from gunicorn.app.base import BaseApplication

from dpgov.demo.arriving import Arriving

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Site(BaseApplication):  # type: ignore[misc]
    """gunicorn with the options of the demonstration, which reads neither files nor arguments."""

    def __init__(self, address: str) -> None:
        self._options = {
            "bind": address,
            "worker_class": "gthread",
            "workers": 2,
            "threads": 8,
            "preload_app": True,
            "control_socket_disable": True,
            "keepalive": 75,
        }
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The application, imported once for all workers."""
        return Arriving(get_wsgi_application())


class SiteProcess:
    """A running site, with as much of a `Popen` as is needed to watch and stop it."""

    def __init__(self, address: str, log: Path) -> None:
        # A copy must not go on with this process's connections.
        connections.close_all()
        self._process = get_context("fork").Process(target=_serve, args=(address, log))
        self._process.start()

    @property
    def pid(self) -> int:
        """Its process id, and that of its group."""
        return self._process.pid or 0

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """To the site's first process, which passes it on."""
        os.kill(self.pid, number)


def _serve(address: str, log: Path) -> None:
    os.setsid()  # Ctrl-C reaches the command alone; it passes it on in order
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for place, file in enumerate((nothing, output, output)):
        os.dup2(file, place)
    Site(address).run()
