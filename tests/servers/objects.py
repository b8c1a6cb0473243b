"""A throw-away S3 server in memory (moto, in Python), as a process of its own.

It speaks S3's protocol and checks no signatures: what it shows of a storage is what an operator of
one sees and can do, not how one keeps strangers out.
"""

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers.loopback import free_port, stop, until_it_answers

BUCKET = "dpgov-files"
KEY = "k" * 40
ACCESS, SECRET = "access-of-the-tests", "secret-of-the-tests"


class ObjectServer:
    """What a test sees of the storage, past the product."""

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def system(self) -> Any:
        from pyarrow.fs import S3FileSystem

        return S3FileSystem(
            access_key=ACCESS,
            secret_key=SECRET,
            region="us-east-1",
            scheme="http",
            endpoint_override=f"127.0.0.1:{self.port}",
            allow_bucket_creation=True,
        )

    def names(self, kind: str = "files") -> list[str]:
        """What a listing shows under this folder."""
        from pyarrow.fs import FileSelector

        found = self.system.get_file_info(FileSelector(f"{BUCKET}/{kind}", allow_not_found=True))
        return sorted(one.base_name for one in found if one.is_file)

    def read(self, name: str) -> bytes:
        with self.system.open_input_stream(f"{BUCKET}/files/{name}") as stream:
            return bytes(stream.read())

    def write(self, name: str, content: bytes, kind: str = "files") -> None:
        with self.system.open_output_stream(f"{BUCKET}/{kind}/{name}") as stream:
            stream.write(content)

    def empty(self) -> None:
        self.system.create_dir(BUCKET)
        self.system.delete_dir_contents(BUCKET)

    def variables(self) -> dict[str, str]:
        """What tells a process of the product about this storage."""
        return {
            "DPGOV_STORE_URL": f"s3://{BUCKET}",
            "DPGOV_STORE_ENDPOINT": f"127.0.0.1:{self.port}",
            "DPGOV_STORE_TLS": "0",
            "DPGOV_STORE_ACCESS_KEY": ACCESS,
            "DPGOV_STORE_SECRET_KEY": SECRET,
            "DPGOV_STORE_KEY": KEY,
        }


@contextmanager
def throw_away_objects(root: Path) -> Generator[ObjectServer]:
    """Run a server; its log is in `root`."""
    port = free_port()
    with (root / "objects.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        until_it_answers(lambda: _answers(port), process, "the S3 server")
        server = ObjectServer(port)
        server.empty()
        yield server
    finally:
        stop(process, signal.SIGTERM)


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/moto-api/", timeout=5).close()
    except OSError:
        return False
    return True
