"""The two commands of the README: the same everywhere, and such that any machine can run them."""

import re

from dpgov.demo import people
from tests.house.tree import ROOT
from tests.profile import WHOLE

_README = (ROOT / "README.md").read_text()
_BLOCKS = re.findall(r"```sh\n(.*?)```", _README, re.DOTALL)
DEMO, SUITE = (block.strip() for block in _BLOCKS[:2])
# Debian 12 and Ubuntu 24.04 refuse to install anything into the system's own Python (PEP 668).
_INTO_OWN_FOLDER = "python3 -m venv .uv && .uv/bin/pip install uv && .uv/bin/uv run "


def test_both_install_into_a_folder_of_their_own() -> None:
    assert f"{_INTO_OWN_FOLDER}--no-dev manage.py demo" == DEMO
    assert f"{_INTO_OWN_FOLDER}pytest" == SUITE


def test_the_sign_ins_of_the_readme_are_all_of_its_organisation_and_one_of_another() -> None:
    """More are printed, of people in other organisations: the README says so."""
    assert "sign-ins, these and some of other organisations" in _README
    listed = re.findall(r"`([a-z-]+)@", _README.partition("| sign in as |")[2].partition("\n\n")[0])
    printed = (*people.EVERYBODY_OF_THE_PAST, *people.RIVERSIDE)
    ours = {person.address for person in printed if person.tenant == people.TENANT}
    assert sorted(listed) == sorted({*ours, people.STRANGER.address})


def test_the_demonstration_installs_no_test_tools() -> None:
    assert "--no-dev" in DEMO


def test_continuous_integration_runs_the_same_command_and_leaves_nothing_out() -> None:
    lines = (ROOT / ".ci/run").read_text().splitlines()
    assert f"{SUITE} {WHOLE}" in lines
    assert f"`uv run pytest {WHOLE}`" in _README


def test_continuous_integration_asks_the_engine_that_needs_java_too() -> None:
    """Behind a marker, as the command installs half a gigabyte: last, so that it hides nothing."""
    command = "uv run --group spark pytest --profile=sqlite -m spark"
    assert (ROOT / ".ci/run").read_text().rstrip().endswith(f"\n.uv/bin/{command}")
    assert f"\n{command} " in (ROOT / "CONTRIBUTING.md").read_text()


def test_continuous_integration_runs_every_script_of_bench() -> None:
    """Those that start servers of their own have a marker, so that a whole run stays short."""
    command = "uv run pytest --profile=sqlite -m long tests/integration/bench"
    assert f"\n.uv/bin/{command}\n" in (ROOT / ".ci/run").read_text()


def test_tutorials_begin_with_the_same_command() -> None:
    for path in (ROOT / "docs/tutorials").glob("*.md"):
        assert DEMO in path.read_text(), path.name


def test_no_page_installs_into_the_system_s_python() -> None:
    pages = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    bare = re.compile(r"(?<!/bin/)\bpip3? install")
    assert [path.name for path in pages if bare.search(path.read_text())] == []
