"""M103: a prepared statement is made of its values and its shape, and of nothing else."""

import importlib
import inspect
import pkgutil
from datetime import date, timedelta
from itertools import product
from typing import Any

import pytest
from django.utils import timezone, translation

import dpgov
from dpgov.budgets.models import Reservation
from dpgov.operation.prepared import Shaped
from dpgov.tenants.models import Role
from dpgov.tenants.roles import CODES

# Every keyword of one, and what it can be.
_SHAPES: dict[str, tuple[Any, ...]] = {
    "roles": tuple(CODES),
    "role": (Role.OWNER.value, Role.ANALYST.value, Role.ADMIN.value),
    "most": (5,),
    "everywhere": (True, False),
    "in_turn": (True, False),
    "answered": (True, False),
    "unread": (True, False),
    "state": tuple(Reservation.State),
}


def _known() -> dict[str, Shaped[Any, Any, Any]]:
    for module in pkgutil.walk_packages(dpgov.__path__, "dpgov."):
        if ".migrations" not in module.name and module.name not in _PROCESSES:
            importlib.import_module(module.name)
    return {f"{each.__module__}.{each.__name__}": each for each in Shaped.known}  # type: ignore[attr-defined]


# They begin to work when they are imported.
_PROCESSES = {"dpgov.asgi", "dpgov.wsgi"}


def _every_statement() -> dict[str, Any]:
    """SQL and parameters of each in all its shapes, with lists of one and of two."""
    found: dict[str, Any] = {}
    for name, each in _known().items():
        parameters = inspect.signature(each).parameters.values()
        lists = sum(str(one.annotation).startswith("tuple") for one in parameters)
        told = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
        for values in product(*(_SHAPES[keyword] for keyword in told)):
            for lengths in product((1, 2), repeat=lists):
                shape = dict(zip(told, values, strict=True))
                made = each.statement(lengths, **shape)
                found[f"{name} {shape} {lengths}"] = made and (made.sql, _told(made.parameters))
    return found


def _told(parameters: tuple[Any, ...]) -> list[Any]:
    """The number of each place; what is no place is a part of the statement."""
    return [getattr(one, "number", one) for one in parameters]


@pytest.mark.django_db
def test_neither_moment_nor_language_nor_setting_gets_into_one(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M103: a process that has run for a week would go on asking about the day it began."""
    here = _every_statement()
    later = timezone.now() + timedelta(days=40)
    monkeypatch.setattr(timezone, "now", lambda: later)
    for name in dir(settings):
        if name.startswith("DPGOV_") and type(getattr(settings, name)) is int:
            setattr(settings, name, getattr(settings, name) + 1)
    with translation.override("de"):
        assert _every_statement() == here
    assert len(here) > 40
    dates = [name for name, made in here.items() if made and _holds_a_date(made[1])]
    assert dates == []


def _holds_a_date(parameters: list[Any]) -> bool:
    year = str(timezone.now().year)
    return any(isinstance(one, date) or str(one).startswith(year) for one in parameters)


@pytest.mark.django_db
def test_each_value_has_its_place() -> None:
    """M103: one that is in no condition would be asked for, and change nothing.

    An organisation is one in every shape, but where all are meant.
    """
    everywhere, somewhere, asked = {}, {}, {}
    for name, each in _known().items():
        places = list(inspect.signature(each).parameters.values())
        told = [one.name for one in places if one.kind is one.KEYWORD_ONLY]
        asked[name] = {one.name for one in places} - {*told}
        used = [
            {places[one.number].name for one in made.parameters if hasattr(one, "number")}
            for values in product(*(_SHAPES[keyword] for keyword in told))
            if (made := each.statement((1, 1), **(shape := dict(zip(told, values, strict=True)))))
            and not shape.get("everywhere")
        ]
        everywhere[name] = set.intersection(*used)
        somewhere[name] = set.union(*used)
    unused = {name: asked[name] - somewhere[name] for name in asked}
    assert {name: left for name, left in unused.items() if left} == {
        name: {"user_id"} for name in _SEES_BY_MEMBERSHIP
    }
    of_tenants = {name for name in asked if "tenant_id" in asked[name]}
    assert of_tenants == {name for name in asked if "tenant_id" in everywhere[name]}


# Three ids tell who reads; for whom a dataset is there, one of them decides.
_SEES_BY_MEMBERSHIP = (
    "dpgov.datasets.finding._first",
    "dpgov.datasets.selectors._newest_seen",
    "dpgov.datasets.selectors._seen",
)
