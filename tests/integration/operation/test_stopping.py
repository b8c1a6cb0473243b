"""A process that is asked to stop, stops: also when it is asked twice in one breath."""

import signal
import subprocess
import sys

# Leaves without the interpreter's own end, where Python gives signals their deadly default back.
WAITER = """
import os
from dpgov.operation.stopping import StopRequest
stop = StopRequest()
stop.listen()
print("listening", flush=True)
while not stop.wait(0.001):
    pass
print("stopped", flush=True)
os._exit(0)
"""


def test_a_hundred_signals_at_once_stop_a_process() -> None:
    """B1: a handler that interrupts itself waits for nothing (Ctrl-C comes from two sides)."""
    with subprocess.Popen(
        [sys.executable, "-c", WAITER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        for _ in range(50):
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert said == "stopped\n"
    assert process.returncode == 0


def test_a_process_that_nobody_asks_goes_on() -> None:
    """B1: the control: waiting ends by itself and reports no request."""
    from dpgov.operation.stopping import StopRequest

    stop = StopRequest()
    assert not stop.wait(0.001)
    assert not stop.is_set()
