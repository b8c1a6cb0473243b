"""J2: every code by which the API refuses something is explained on its page."""

from collections.abc import Iterator
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.settings import api_settings

from dpgov import urls
from dpgov.approvals.errors import ApprovalRefusal
from dpgov.joint.errors import JointRefusal
from dpgov.queries.asking.gate import NotOpen
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.surveys.errors import SurveyRefusal
from tests.house.tree import ROOT

_PAGE = (ROOT / "docs/api.md").read_text()
# Stand for others: each refusal that they carry has a code of its own.
_OF_OTHERS = {"conflict", "withdrawn"}


def _codes() -> set[str]:
    assert urls.urlpatterns
    assert api_settings.EXCEPTION_HANDLER
    ours: Any = (ApprovalRefusal, JointRefusal, NotOpen, OutsidePolicy, SurveyRefusal)
    named = {one.code for base in ours for one in (base, *_below(base))}
    return named | {str(one.default_code) for one in _below(APIException)}


def _below(base: Any) -> Iterator[Any]:
    for one in base.__subclasses__():
        if one.__module__.startswith(("dpgov.", "rest_framework.")):
            yield one
        yield from _below(one)


def test_every_code_is_explained() -> None:
    assert {code for code in _codes() - _OF_OTHERS if f"`{code}`" not in _PAGE} == set()
