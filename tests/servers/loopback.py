"""Free ports, beginnings and ends of servers on this machine."""

import socket
import subprocess
from collections.abc import Callable

from tests.servers.waiting import until, within

_ENDS_SECONDS = 60


class ServerDidNotStart(RuntimeError):
    """A server that a test run started ended at once."""


def free_port() -> int:
    """A loopback port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until_it_answers(
    answers: Callable[[], bool], process: subprocess.Popen[bytes], name: str
) -> None:
    """Wait for a server. Raises ServerDidNotStart when it died, or AssertionError as `until`."""

    def there() -> bool:
        if process.poll() is not None:
            raise ServerDidNotStart(f"{name} ended with code {process.returncode}")
        return answers()

    until(there, f"{name} does not answer")


def stop(process: subprocess.Popen[bytes], signal_number: int) -> None:
    """Ask the process to end, and end it if it has not within a minute."""
    if process.poll() is not None:
        return
    process.send_signal(signal_number)
    if not within(_ENDS_SECONDS, lambda: process.poll() is not None, every=0.01):
        process.kill()
    process.wait()
