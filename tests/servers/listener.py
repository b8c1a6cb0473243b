"""A web server that keeps what it is sent: stands for whoever receives checkpoints."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any


@dataclass
class Listener:
    """Where it listens, what came, and the status that it answers with."""

    url: str
    answer: int = 200
    received: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def listening() -> Generator[Listener]:
    """Listen on a free port of this machine until the end of the block."""
    found = Listener(url="")

    class Keep(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            found.received.append(self.rfile.read(length).decode())
            found.headers.append(dict(self.headers.items()))
            self.send_response(found.answer)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def do_GET(self) -> None:
            """Where a redirect leads: everything seems fine there."""
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Keep)
    found.url = f"http://127.0.0.1:{server.server_port}/"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
