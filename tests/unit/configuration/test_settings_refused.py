"""What an operator mistypes is an error at the start that names its variable.

What could break: a switch that is taken for "off", which leaves cookies or the storage in the
clear; a number with which every page ends in an error, or nothing is ever answered.
"""

from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler

from dpgov.configuration.environment import UnknownBroker, broker_settings
from dpgov.configuration.live import LiveNotDeclared, live_settings
from dpgov.configuration.reading import (
    Environment,
    WrongSetting,
    least_epsilon,
    ports,
    secret_text,
)
from dpgov.tenants import checks as looking
from tests.servers.variables import variables

NAME = "DPGOV_ANYTHING"


def _env(text: str, name: str = NAME) -> Environment:
    return variables({name: text})


@pytest.mark.parametrize("word", ["ture", "enabled", "2", "nein", "-"])
def test_an_unknown_word_is_no_switch(word: str) -> None:
    with pytest.raises(WrongSetting, match=NAME):
        _env(word).bool(NAME, default=True)


@pytest.mark.parametrize(
    ("word", "is_on"),
    [("1", True), ("True", True), ("on", True), ("", True), ("0", False), ("NO", False)],
)
def test_the_known_words_are_one(word: str, is_on: bool) -> None:
    """Nothing at all is what it would be without the variable."""
    assert _env(word).bool(NAME, default=True) is is_on


@pytest.mark.parametrize("text", ["0", "-5", "abc", "", "1.5", "1e3", "NaN"])
def test_a_number_of_something_is_a_whole_one(text: str) -> None:
    with pytest.raises(WrongSetting, match=f"{NAME} must be a whole number of at least 1"):
        _env(text).int(NAME, default=3)


def test_what_may_be_nothing_may_be_nothing() -> None:
    assert _env("0").int(NAME, default=3, least=0) == 0
    assert _env("0").float(NAME, default=3) == 0
    assert variables({}).int("DPGOV_NOT_SET", default=3) == 3


@pytest.mark.parametrize("text", ["-2", "0", "NaN", "inf", "abc"])
def test_a_factor_is_a_number_above_nothing(text: str) -> None:
    with pytest.raises(WrongSetting, match=NAME):
        _env(text).float(NAME, default=1, least=0.01)


@pytest.mark.parametrize("text", ["abc", "0", "-1", "NaN", "0.0000000001", "1e9"])
def test_the_least_price_is_a_price(text: str) -> None:
    """Each page that names a price would end in an error."""
    with pytest.raises(WrongSetting, match="DPGOV_LEAST_EPSILON must be a price"):
        least_epsilon(_env(text, "DPGOV_LEAST_EPSILON"))


def test_ports_and_files_of_secrets_are_named_too(tmp_path: Path) -> None:
    with pytest.raises(WrongSetting, match=NAME):
        ports(_env("443,abc"), NAME, [443])
    assert ports(_env("443, 8443"), NAME, [443]) == [443, 8443]
    with pytest.raises(WrongSetting, match=f"{NAME}_FILE names a file that cannot be read"):
        secret_text(_env(str(tmp_path / "none"), f"{NAME}_FILE"), NAME)


@pytest.mark.parametrize("url", ["amqp://x", "localhost:6379", ""])
def test_a_broker_that_we_do_not_know_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(UnknownBroker, match="DPGOV_BROKER_URL"):
        broker_settings(_env(url, "DPGOV_BROKER_URL"), tmp_path)


def test_certificates_that_are_not_there_are_refused() -> None:
    with pytest.raises(LiveNotDeclared, match="DPGOV_LIVE_CA_FILE"):
        live_settings(_env("/nonexistent", "DPGOV_LIVE_CA_FILE"))


@pytest.mark.django_db
def test_a_database_that_cannot_be_asked_is_an_error_of_the_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Silence would pass for "all is well"."""
    nowhere = {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / "none" / "x.sqlite3"}
    monkeypatch.setattr(looking, "connections", ConnectionHandler({"default": nowhere}))
    (found,) = looking.is_there(databases=["default"])
    assert "The database cannot be reached" in found.msg
    assert looking.is_there(databases=None) == []
