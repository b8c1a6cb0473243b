"""What the demonstration decides before Django reads its settings: `manage.py demo` begins here.

Must not import Django. What somebody set in the environment stands.
"""

import os
from argparse import ArgumentParser
from collections.abc import Sequence


def add_place(parser: ArgumentParser) -> None:
    """Where the site listens."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on")


def prepare(arguments: Sequence[str]) -> None:
    """Plain HTTP, for one person at this machine; the host that was asked for is allowed.

    Letters lead there; to this machine itself where the site listens to everybody.
    """
    parser = ArgumentParser(add_help=False)
    add_place(parser)
    asked = parser.parse_known_args(arguments)[0]
    host: str = asked.host
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - the person's own choice
    os.environ.setdefault(
        "DPGOV_ALLOWED_HOSTS", "*" if everywhere else f"localhost,127.0.0.1,[::1],{host}"
    )
    os.environ["DPGOV_HTTPS"] = "0"
    here = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host
    os.environ.setdefault("DPGOV_BASE_URL", f"http://{here}:{asked.port}")
