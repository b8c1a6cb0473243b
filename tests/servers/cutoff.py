"""A way to a server that can be cut: what stands between the product and its database or broker."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_CHUNK = 65_536
_COMMIT = b"COMMIT"


class CutOff:
    """Passes bytes on to a port of this machine, until it is told not to."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open = threading.Event()
        self._open.set()
        self._swallow = threading.Event()
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End every connection and accept none until `restore`."""
        self._open.clear()
        self.drop()

    def drop(self) -> None:
        """End every connection, in the middle of whatever it was; new ones are let through."""
        with self._lock:
            ended = list(self._sockets)
            self._sockets.clear()
        self.cuts += len(ended) // 2
        for end in ended:
            _end(end)

    def restore(self) -> None:
        self._open.set()

    def swallow_next_commit(self) -> None:
        """Let the next COMMIT through to the server, and cut the line before its reply is heard."""
        self._swallow.set()

    @property
    def swallowed(self) -> bool:
        return not self._swallow.is_set()

    def close(self) -> None:
        self.cut()
        _end(self._listener)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._open.is_set():
                client.close()
                continue
            self._connect(client)

    def _connect(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._target), timeout=5)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        with self._lock:
            self._sockets |= {client, server}
        deaf = threading.Event()
        for one, other, watched in ((client, server, True), (server, client, False)):
            pump = threading.Thread(
                target=self._pump, args=(one, other, deaf, watched), daemon=True
            )
            pump.start()

    def _pump(
        self, source: socket.socket, sink: socket.socket, deaf: threading.Event, watched: bool
    ) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                if watched and _COMMIT in data and self._swallow.is_set():
                    self._swallow.clear()
                    deaf.set()
                if deaf.is_set() and not watched:
                    break  # the server has answered: it is done, and nobody will hear of it
                sink.sendall(data)
        for end in (source, sink):
            _end(end)
        with self._lock:
            self._sockets -= {source, sink}


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def cut_off(target: int) -> Iterator[CutOff]:
    """A line to the port, gone on leaving."""
    line = CutOff(target)
    try:
        yield line
    finally:
        line.close()
