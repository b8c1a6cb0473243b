"""H7: webhooks lead to the public internet and nowhere else."""

import socket
from typing import Any

import pytest

from dpgov.notices.delivery.addresses import (
    AddressRefused,
    Target,
    address_of,
    is_public,
    target_of,
)

INSIDE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    # Reserved, though the `ipaddress` of some Python calls them public.
    "fec0::1",
    "3fff::1",
    "2001:20::1",
    "2001:2::1",
    "5f00::1",
    "4000::1",
    "100:0:0:1::1",
    "64:ff9b:1::1",
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
    "2002:5db8:d80e::",
    "192.88.99.1",
    "192.0.0.9",
    "240.0.0.1",
    "198.18.0.1",
]


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_of_a_private_network_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7: also in IPv6 clothes, and also when it is only one of several."""
    assert not is_public(address)
    found = [(2, 1, 6, "", (text, 443)) for text in ("93.184.215.14", address)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(AddressRefused, match="private network"):
        address_of(Target("https", "example.org", 443, "/"))


@pytest.mark.parametrize(
    "host",
    [
        *(f"[{text}]" if ":" in text else text for text in INSIDE),
        *("localhost", "LocalHost.", "hook.localhost"),
        *("127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1."),
    ],
)
def test_a_host_that_is_itself_a_private_address_is_refused_before_anything_is_looked_up(
    host: str, settings: Any
) -> None:
    """H7: however it is spelt, so that whoever adds it reads it at once; by the same setting."""
    with pytest.raises(AddressRefused, match="private network"):
        target_of(f"https://{host}/hook")
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    target_of(f"https://{host}/hook")


@pytest.mark.parametrize("host", ["example.org", "93.184.215.14", "10.example.org", "a..b"])
def test_a_name_is_looked_up_no_earlier_than_it_is_called(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7: what a name leads to may change, and is asked at each delivery."""
    real = socket.getaddrinfo

    def numbers_alone(*args: Any, **kwargs: Any) -> Any:
        assert kwargs["flags"] & socket.AI_NUMERICHOST
        return real(*args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", numbers_alone)
    assert target_of(f"https://{host}/hook").host == host


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "::ffff:93.184.215.14",
        "64:ff9b::5db8:d70e",
    ],
)
def test_a_public_address_is_connected_to_as_it_was_checked(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (address, 443))])
    assert address_of(Target("https", "example.org", 443, "/")) == address


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/",
        "http://example.org/",
        "https://",
        "https://user:secret@example.org/",
        "https://example.org:99999/",
        "https://example.org:22/",
        "https://example.org:6379/",
        "https://example.org:0/",
        "https://example.org:80/",
        "https://[::1",
        "https://exämple.org/",
        "https://example.org/a b",
        "https://example.org/\r\nHost: other",
        "example.org",
        "",
    ],
)
def test_what_is_no_plain_secure_web_address_is_refused(url: str) -> None:
    """H7: nor one that leads to a port of something else."""
    with pytest.raises(AddressRefused):
        target_of(url)


def test_a_port_that_the_installation_allows_may_be_called() -> None:
    """H7"""
    assert target_of("https://example.org:8443/in") == Target("https", "example.org", 8443, "/in")


def test_an_installation_may_allow_its_own_network(settings: Any) -> None:
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    settings.DPGOV_WEBHOOK_PORTS = [8080]
    target = target_of("http://127.0.0.1:8080/in?x=1")
    assert target == Target("http", "127.0.0.1", 8080, "/in?x=1")
    assert address_of(target) == "127.0.0.1"
