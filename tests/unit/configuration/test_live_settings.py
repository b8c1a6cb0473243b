"""M93: which servers of owners may be asked, as an operator says it at the start."""

import pytest

from dpgov.configuration.live import LiveNotDeclared, live_settings
from dpgov.configuration.reading import WrongSetting
from tests.servers.variables import variables


def test_no_server_is_allowed_and_a_name_is_proved_unless_the_operator_says_otherwise() -> None:
    """M93: hosts and ports, in small letters, as pages compare them."""
    default = live_settings(variables({}))
    assert (default["servers"], default["tls"]) == (frozenset(), "verify-full")
    given = {"DPGOV_LIVE_SERVERS": "DB.example.org:5432, ::1:5433", "DPGOV_LIVE_SECONDS": "7"}
    said = live_settings(variables(given))
    assert said["servers"] == {"db.example.org:5432", "::1:5433"}
    assert said["seconds"] == 7


def test_folders_are_listed_for_each_server() -> None:
    """M96: none by default; a server has several by being listed again."""
    assert live_settings(variables({}))["folders"] == {}
    listed = "S.example.org:15002=s3a://b/f/,s.example.org:15002=file:///d/, t:1=hdfs://n:8020/x/"
    assert live_settings(variables({"DPGOV_LIVE_SPARK": listed}))["folders"] == {
        "s.example.org:15002": ("s3a://b/f/", "file:///d/"),
        "t:1": ("hdfs://n:8020/x/",),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVERS", "db.example.org"),
        ("SERVERS", "db.example.org:0"),
        ("SERVERS", "*:5432"),
        ("SERVERS", "/run/postgresql:5432"),
        ("SERVERS", "a,b:5432"),
        ("SPARK", "s.example.org:15002"),
        ("SPARK", "s.example.org=s3a://b/f/"),
        ("SPARK", "s.example.org:15002=s3a://b/f"),
        ("SPARK", "s.example.org:15002=s3a://b/../f/"),
        ("SPARK", "s.example.org:15002=s3a://b/*/"),
        ("SPARK", "s.example.org:15002=S3A://b/f/"),
        ("SPARK", "s.example.org:15002=/data/"),
        ("TLS", "prefer"),
        ("SECONDS", "0"),
    ],
)
def test_what_cannot_be_kept_ends_the_start(name: str, value: str) -> None:
    """M93: no pattern, no socket, no encryption that anybody on the way can talk down."""
    with pytest.raises((LiveNotDeclared, WrongSetting)):
        live_settings(variables({f"DPGOV_LIVE_{name}": value}))
