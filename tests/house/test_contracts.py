"""Every contract of `.importlinter` catches an import that it is there to refuse.

Each is tried with one planted import; that the real ones keep all of them, `test_tools` shows.
"""

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
    "doors": ("dpgov.limits.web.limits", "dpgov.limits.web.shared_budgets.pages"),
    "queries": ("dpgov.queries.asking.quote", "dpgov.queries.workbench.trial"),
    "privacy": ("dpgov.privacy.accounting.decimals", "dpgov.privacy.plan.plan"),
    "alone": ("dpgov.engines.scan", "django"),
    "pure": ("dpgov.privacy.noise.noise", "random"),
    "data": ("dpgov.dashboards.home.view", "dpgov.engines.files"),
    "spark": ("dpgov.queries.answering.answer", "pyspark"),
    "noise": ("dpgov.privacy.answer.release", "dpgov.privacy.noise.sampling"),
    "clock": ("dpgov.sweeper.notices", "dpgov.operation.moving"),
    "log": ("dpgov.budgets.words", "dpgov.audit.models"),
    "ledger": ("dpgov.queries.answering.answer", "dpgov.budgets.models"),
    "no-circles": ("dpgov.audit.entry", "dpgov.audit.services"),
    "workers": ("dpgov.queries.answering.answer", "plotly"),
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
    contract = TYPES[options["type"]](
        name=options["name"], session_options=READ["session_options"], contract_options=options
    )
    planted = deepcopy(imports)
    planted.add_import(importer=importer, imported=imported)
    assert not contract.check(planted, verbose=False).kept


@pytest.mark.parametrize("place", ["dpgov.loft", "dpgov.queries.loft", "dpgov.privacy.loft"])
def test_a_room_that_no_contract_names_is_refused(place: str, imports: ImportGraph) -> None:
    grown = deepcopy(imports)
    grown.add_module(place)
    checked = [
        LayersContract(
            name=options["name"], session_options=READ["session_options"], contract_options=options
        ).check(grown, verbose=False)
        for options in READ["contracts_options"]
        if options.get("exhaustive") and options["containers"] == place.rpartition(".")[0]
    ]
    assert [one.kept for one in checked] == [False]
