"""Free ports and waiting, for servers on this machine."""

import socket
import subprocess
import time
from collections.abc import Callable


class ServerDidNotStart(RuntimeError):
    """A server that a test run started ended at once or never answered."""


def free_port() -> int:
    """A loopback port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(
    answers: Callable[[], bool], process: subprocess.Popen[bytes], name: str, *, seconds: int = 60
) -> None:
    """Poll until the server answers. Raises ServerDidNotStart when it died or time has passed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerDidNotStart(f"{name} ended with code {process.returncode}")
        if answers():
            return
        time.sleep(0.05)
    raise ServerDidNotStart(f"{name} did not answer within {seconds} seconds")


def stop(process: subprocess.Popen[bytes], signal_number: int) -> None:
    """Ask the process to end, and end it if it has not within 20 s."""
    if process.poll() is not None:
        return
    process.send_signal(signal_number)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
