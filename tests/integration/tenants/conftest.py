"""Codes of authenticator apps are those of one moment: none runs out while a test uses it."""

import pytest
from allauth.mfa.totp.internal import auth

# So many times 30 seconds since 1970.
MOMENT = 60_000_000


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "yield_hotp_counters_from_time", lambda: iter([MOMENT]))
