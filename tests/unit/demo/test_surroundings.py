"""What the demonstration decides before anything reads its settings."""

import os

import pytest

from dpgov.demo.surroundings import prepare

NAMES = ("DPGOV_ALLOWED_HOSTS", "DPGOV_BASE_URL", "DPGOV_HTTPS")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        # What is set while a test runs goes with it.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ([], "http://127.0.0.1:8000"),
        (["--port", "8123"], "http://127.0.0.1:8123"),
        (["--host", "0.0.0.0", "--port=9000"], "http://127.0.0.1:9000"),  # noqa: S104
        (["--host", "::1"], "http://[::1]:8000"),
        (["--host", "census.example.org", "--force"], "http://census.example.org:8000"),
    ],
)
def test_letters_of_the_demonstration_lead_to_it(asked: list[str], leads_to: str) -> None:
    prepare(asked)
    assert os.environ["DPGOV_BASE_URL"] == leads_to
    assert os.environ["DPGOV_HTTPS"] == "0"


def test_what_somebody_set_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPGOV_BASE_URL", "https://dpgov.example.org")
    prepare([])
    assert os.environ["DPGOV_BASE_URL"] == "https://dpgov.example.org"
