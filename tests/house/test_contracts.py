"""The imports keep every contract of `.importlinter`, and each catches what it is there to refuse.

Each is tried with one planted import as well. What no contract can say of imports stands at the
end.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from grimp import ImportGraph, build_graph
from importlinter import Contract, api
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract

from tests.house import contract
from tests.house.tree import ROOT

TYPES: dict[str, type[Contract]] = {
    "acyclic_siblings": AcyclicSiblingsContract,
    "forbidden": ForbiddenContract,
    "independence": IndependenceContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
}
# The importer and what it may not import.
PLANTED = {
    "rooms": ("dpgov.budgets.words", "dpgov.datasets.models"),
    "layers-of-a-room": ("dpgov.tenants.models", "dpgov.tenants.services"),
    "doors": ("dpgov.dashboards.history.view", "dpgov.queries.web.ask"),
    "behind-doors": ("dpgov.limits.ways", "dpgov.limits.web.limits"),
    "queries": ("dpgov.queries.asking.quote", "dpgov.queries.workbench.trial"),
    "privacy": ("dpgov.privacy.accounting.decimals", "dpgov.privacy.plan.plan"),
    "alone": ("dpgov.engines.scan", "django"),
    "pure": ("dpgov.privacy.noise.noise", "random"),
    "data": ("dpgov.dashboards.home.view", "dpgov.engines.files"),
    "spark": ("dpgov.queries.answering.answer", "pyspark"),
    "noise": ("dpgov.privacy.plan.plan", "opendp"),
    "clock": ("dpgov.sweeper.notices", "dpgov.operation.moving"),
    "log": ("dpgov.budgets.words", "dpgov.audit.models"),
    "ledger": ("dpgov.queries.answering.answer", "dpgov.budgets.models"),
    "no-circles": ("dpgov.audit.entry", "dpgov.audit.services"),
    "workers": ("dpgov.queries.answering.answer", "plotly"),
}


SHORT = 40
# Folders of doors and of tables of rows, where a short file is a page, a command or a table.
KEPT_SHORT = {"web", "rest", "management", "models"}
# What these name is a page, or what Django and Celery look for by its name.
NAMED_BY = {"urls", "apps", "settings"}
STANDS_ALONE = {
    "dpgov.demo.surroundings": "read by manage.py before Django is",
    "dpgov.engines.postgres.kinds": "a table of values",
    "dpgov.language.reworded": "a table that grows with each sentence that is worded anew",
    "dpgov.joint.keys": "the only file that touches a private key of a joint worker",
}


READ: dict[str, Any] = api.read_configuration(str(ROOT / ".importlinter"))


@pytest.fixture(scope="module")
def imports() -> ImportGraph:
    return build_graph("dpgov", include_external_packages=True, cache_dir=None)


def test_every_contract_is_tried() -> None:
    assert [options["id"] for options in READ["contracts_options"]] == list(PLANTED)


@pytest.mark.parametrize("options", READ["contracts_options"], ids=PLANTED)
def test_a_planted_import_breaks_its_contract(
    options: dict[str, Any], imports: ImportGraph
) -> None:
    importer, imported = PLANTED[options["id"]]
    assert importer in imports.modules, "the importer moved"
    ours = imported.startswith("dpgov")
    assert imported in imports.modules or not ours, "the imported moved"
    planted = deepcopy(imports)
    planted.add_import(importer=importer, imported=imported)
    assert not _contract(options).check(planted, verbose=False).kept


# More of them, most of which were once let pass.
ALSO_PLANTED = {
    "dpgov.dashboards.home.view": (
        "dpgov.dashboards.budget.view",
        "dpgov.datasets.web.registration",
    ),
    "dpgov.monitoring.health": ("dpgov.queries.web.ask",),
    "dpgov.limits.web.limits": ("dpgov.limits.web.shared_budgets.pages",),
    "dpgov.queries.asking.submit": ("dpgov.datasets.web.forms.policy",),
    "dpgov.explain.promise": ("dpgov.datasets.rest.shapes",),
    "dpgov.privacy.answer.release": ("dpgov.privacy.noise.sampling",),
}


@pytest.mark.parametrize(
    ("importer", "imported"),
    [(importer, each) for importer, all_of_it in ALSO_PLANTED.items() for each in all_of_it],
)
def test_a_planted_import_breaks_some_contract(
    importer: str, imported: str, imports: ImportGraph
) -> None:
    assert {importer, imported} <= imports.modules, "one of them moved"
    planted = deepcopy(imports)
    planted.add_import(importer=importer, imported=imported)
    checked = [
        _contract(options).check(deepcopy(planted), verbose=False)
        for options in READ["contracts_options"]
        if options["id"] in ("doors", "behind-doors", "noise")
    ]
    assert not all(one.kept for one in checked)


@pytest.mark.parametrize("options", READ["contracts_options"], ids=PLANTED)
def test_the_imports_that_are_there_keep_it(options: dict[str, Any], imports: ImportGraph) -> None:
    """So says every run; `test_tools` asks the tool itself in a whole one."""
    assert _contract(options).check(deepcopy(imports), verbose=False).kept


@pytest.mark.parametrize("place", ["dpgov.loft", "dpgov.queries.loft", "dpgov.privacy.loft"])
def test_a_room_that_no_contract_names_is_refused(place: str, imports: ImportGraph) -> None:
    grown = deepcopy(imports)
    grown.add_module(place)
    checked = [
        _contract(options).check(grown, verbose=False)
        for options in READ["contracts_options"]
        if options.get("exhaustive") and options["containers"] == place.rpartition(".")[0]
    ]
    assert [one.kept for one in checked] == [False]


# What the sentence of a room says beyond what is above and below it.
NEVER = {
    "dpgov.dashboards": r"dpgov\.\w+\.services\b.*",
    "dpgov.oversight": r"dpgov\.engines\b.*",
    "dpgov.limits": r"dpgov\.queries\.answering\.(answer|tasks|publishing)",
    "dpgov.explain": r"dpgov\.(engines|notices|queries\.(models|selectors|answering|free))\b.*",
    "dpgov.surveys": r"dpgov\.(engines|queries\.answering)\b.*",
    "dpgov.notices": r"dpgov\.(engines|queries\.answering)\b.*",
}
# Work that is told values, and never sees a web.
BEHIND_DOORS = re.compile(
    r"dpgov\.\w+\.services\b.*|dpgov\.queries\.(asking|free|answering|workbench)\..*"
)
# A service raises what a page shows for what is not there.
ALLOWED = {"dpgov.queries.asking.gate"}


@pytest.mark.parametrize("room", NEVER)
def test_a_room_keeps_to_what_its_sentence_says(room: str, imports: ImportGraph) -> None:
    never = re.compile(NEVER[room])
    found = [each for each in _imports(imports, room) if never.fullmatch(each[1])]
    assert found == []
    assert any(never.fullmatch(module) for module in imports.modules), "what it names moved"


def test_no_service_sees_a_web(imports: ImportGraph) -> None:
    seeing = imports.find_modules_that_directly_import("django")
    work = {module for module in seeing if BEHIND_DOORS.fullmatch(module)}
    assert len(work) > 50, "the pattern finds them"
    found = {one for one in work if re.search(r"^from django\.http ", _text(one), re.M)}
    assert found == ALLOWED


def test_a_short_file_with_one_importer_is_a_door_a_table_or_a_value(
    imports: ImportGraph,
) -> None:
    """Anything else is part of its importer's story: a newcomer would open two files for one."""
    short = {
        module: importers
        for module in imports.modules
        if _lines(module) < SHORT
        and len(importers := imports.find_modules_that_directly_import(module)) == 1
    }
    alone = {
        module
        for module, (importer,) in short.items()
        if not KEPT_SHORT & set(module.split(".")) and importer.rpartition(".")[2] not in NAMED_BY
    }
    assert alone == set(STANDS_ALONE)


# Folders of tests that are of no one room.
OF_ALL_ROOMS = {
    "access": "every route, page and change, whichever room has it",
    "bench": "the scripts of the folder of this name",
}


def test_tests_mirror_the_rooms() -> None:
    """A room that is a file only puts others together. Its tests are theirs."""
    folders = {
        path.name
        for kind in ("unit", "integration")
        for path in (ROOT / "tests" / kind).iterdir()
        if any(path.glob("**/test_*.py"))
    }
    rooms = {room for room in contract.rooms() if (ROOT / "dpgov" / room).is_dir()}
    assert folders == rooms | set(OF_ALL_ROOMS)


def _imports(imports: ImportGraph, room: str) -> Iterator[tuple[str, str]]:
    for module in sorted(imports.find_descendants(room)):
        for imported in sorted(imports.find_modules_directly_imported_by(module)):
            yield module, imported


def _text(module: str) -> str:
    """The source of a module that is a file."""
    path = ROOT / (module.replace(".", "/") + ".py")
    return path.read_text() if path.is_file() else ""


def _contract(options: dict[str, Any]) -> Contract:
    return TYPES[options["type"]](
        name=options["name"], session_options=READ["session_options"], contract_options=options
    )


def _lines(module: str) -> float:
    """Those of a file; a package, a migration and what is not ours count as long."""
    path = ROOT / (module.replace(".", "/") + ".py")
    return path.read_text().count("\n") if path.is_file() else float("inf")
