"""What the source may not contain, beyond what the linters see."""

import ast
import hashlib
import re

from django.apps import apps

from tests.house import contract, tree

ROOMS = contract.rooms()
_RANDOM = {"random", "numpy.random"}
_FOREIGN_HOSTS = [
    "".join(parts)
    for parts in (
        ("pypi", ".org"),
        ("pythonhosted", ".org"),
        ("registry.", "npmjs"),
        ("..", "/shared"),
    )
]
# What is shown in the red of a refusal, and is none or has more to it than a sentence.
SHOWN_AS_REFUSED = {
    "templates/fields/_refused.html": "the one way",
    "templates/_messages.html": "what the page before refused",
    "templates/datasets/registering/_problems.html": "a list, each with its place in the form",
    "templates/frame/_frozen_banner.html": "a state of the installation",
    "templates/oversight/log/_audit_proof.html": "a verdict",
    "templates/oversight/log/_audit_seal.html": "a verdict",
    "templates/oversight/log/_audit_verdict.html": "a verdict",
    "templates/queries/_quote_refused.html": "with what to do about it",
    "templates/queries/sql/ask_sql.html": "a list, each with its place in the text",
    "templates/surveys/respond.html": "hidden until a script has the sentence",
}
# Outside the mathematics, what takes e to a power: whoever told a bound by it would round it anew.
POWERS_OF_E = {
    "dpgov/budgets/meaning.py": "the one place that says what an amount means",
    "dpgov/engines/likeness.py": "how many distinct values chance leaves in a column",
    "dpgov/explain/lessons/numbers.py": "formulas of curves, in 50 digits",
    "dpgov/explain/lessons/adding/databases.py": "how unlikely a loss is, whose logarithm is known",
    "dpgov/explain/lessons/leaks/averaging.py": "the exact distribution of a sum of noise",
    "dpgov/queries/wording/logistic.py": "odds by a fitted line, of an answer's coefficients",
}
SAID_IN_ANOTHER_BOX = {
    "templates/queries/ask/_form_head.html": "a price that changed: look, and press again",
}
SHOWN_AT_A_FIELD = {
    "templates/fields/_errors.html": "the one way",
    "dpgov/datasets/templatetags/column_grid.py": "hundreds of fields at once",
}
_MACHINE_PATHS = re.compile(r"(?<![\w.])/(root|home|work|Users)/\w")


def test_foreign_keys_point_the_way_imports_point() -> None:
    """A room's tables refer to the rooms below it, also when the model is named by a string."""
    for model in apps.get_models():
        room = model._meta.app_label
        if room not in ROOMS:
            continue
        for field in model._meta.get_fields():
            if field.is_relation and not field.auto_created and field.related_model:
                other = field.related_model._meta.app_label
                assert other in contract.below(room), (
                    f"{model.__name__}.{field.name} points up to {other}"
                )


def test_the_log_has_no_foreign_keys() -> None:
    fields = [f for m in apps.get_app_config("audit").get_models() for f in m._meta.get_fields()]
    assert [field for field in fields if field.is_relation] == []


def test_nothing_draws_numbers_but_opendp() -> None:
    """J3: neither `random` nor `numpy.random` is imported or reached through numpy."""
    for path, module in tree.python("dpgov"):
        names = set(_imported(module)) | set(_attributes(module))
        assert not names & (_RANDOM | {"np.random"}), tree.name(path)


def test_no_other_module_turns_an_amount_into_odds() -> None:
    """L20: `log_odds` and `belief_after` are put into words in one place only."""
    words = {"factor_text", "certainty_text", "sure_text", "range_text", "guesses_text", "whom"}
    made = {
        tree.name(path)
        for path, module in tree.python("dpgov")
        for node in module.body
        if getattr(node, "name", "") in words
    }
    assert made == {"dpgov/budgets/meaning.py"}


def test_nothing_else_takes_e_to_a_power() -> None:
    """L20: an ε is told by `budgets.meaning`, so that two pages never give two numbers for it."""
    found = {
        tree.name(path)
        for path, module in tree.python("dpgov")
        if not tree.name(path).startswith("dpgov/privacy/")
        for node in ast.walk(module)
        if _is_power_of_e(node)
    }
    assert found == set(POWERS_OF_E)


def _is_power_of_e(node: ast.AST) -> bool:
    """`exp` of a number, of numpy or of `math`, which may be imported; or e itself."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "math" and any(one.name in _POWERS for one in node.names)
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in _POWERS - {"e"} or ast.unparse(node) in {"math.e", "np.e"}


_POWERS = {"e", "exp", "exp2", "expm1"}


def test_no_policy_allows_inline_code() -> None:
    unsafe = "unsafe-" + "inline", "unsafe-" + "eval"
    for path, module in tree.python("dpgov"):
        texts = [n.value for n in ast.walk(module) if isinstance(n, ast.Constant)]
        assert not any(word in str(text) for text in texts for word in unsafe), tree.name(path)


def test_templates_have_no_inline_code() -> None:
    inline = re.compile(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=", re.IGNORECASE)
    for path in tree.files(".html"):
        found = inline.search(re.sub(r"{%.*?%}|{{.*?}}", "", path.read_text()))
        assert found is None, f"{tree.name(path)}: {found}"


def test_every_table_of_a_page_says_first_what_it_holds() -> None:
    """Whoever hears a page goes from table to table, and past the headings above them."""
    silent = re.compile(r"<table\b[^>]*>(?!\s*<caption\b)")
    found = [tree.name(path) for path in tree.files(".html") if silent.search(path.read_text())]
    assert found == []


def test_refusals_are_shown_in_one_way() -> None:
    """Also to whoever hears a page: a template that wrote its own would lose the role or the id."""
    ours = [*tree.files(".html"), *(path for path, _module in tree.python("dpgov"))]
    texts = {tree.name(path): path.read_text() for path in ours}
    # Whatever the box looks like: what it begins with is a refusal by its name.
    other_box = r'class="(?![^"]*alert-danger)[^"]*\balert(?=[ "])[^"]*"[^>]*>'
    refusal = r"{{\s*(?:\w+[._])?(?:refusal|refused|notice|problems?|errors?)\b"
    for look, allowed in (
        (r"alert-danger", SHOWN_AS_REFUSED),
        (r"invalid-feedback", SHOWN_AT_A_FIELD),
        (rf"{other_box}\s*{refusal}", SAID_IN_ANOTHER_BOX),
    ):
        assert {name for name, text in texts.items() if re.search(look, text)} == set(allowed), look


def test_the_api_has_one_refusal_of_what_is_not_possible_now() -> None:
    """Each answers in one form then, with its code; a class of its own says nothing more."""
    classes = {
        f"{tree.name(path)}:{node.name}"
        for path, module in tree.python("dpgov")
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef) and "status_code = 409" in ast.unparse(node)
    }
    assert classes == {"dpgov/operation/conflicts.py:Conflict"}


def test_templates_write_dates_in_formats_that_are_translated() -> None:
    """Each language orders a date in its own way; `c` is for machines."""
    literal = re.compile(r"""\|\s*date:\s*(?!"c"|'c')["'].*?["']""")
    for path in tree.files(".html"):
        found = literal.search(path.read_text())
        assert found is None, f"{tree.name(path)}: {found}"


def test_every_module_says_what_it_is_for() -> None:
    for path, module in tree.python("dpgov"):
        if path.name == "__init__.py" or "migrations" in path.parts or path.name == "apps.py":
            continue
        assert ast.get_docstring(module), tree.name(path)


def test_nothing_names_a_machine_or_a_registry() -> None:
    for path in tree.files(".py", ".md", ".toml", ".html", ".js", ".css", ".yml", ".yaml", ""):
        if "vendor" in path.parts or path.name == "uv.lock":
            continue
        text = path.read_text(errors="replace")
        assert not [host for host in _FOREIGN_HOSTS if host in text], tree.name(path)
        assert _MACHINE_PATHS.search(text) is None, tree.name(path)


def test_vendored_files_are_what_was_copied() -> None:
    folder = tree.ROOT / "static/vendor"
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    there = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tree.files(".js", ".css")
        if path.is_relative_to(folder)
    }
    assert there == listed


def test_there_is_one_green_and_bars_of_progress_have_it() -> None:
    """Bootstrap's own green and the browser's blue stand on no page."""
    style = (tree.ROOT / "static/css/app.css").read_text()
    greens = re.findall(r"--bs-(?:primary|success)-rgb: ([\d, ]+);", style)
    assert (len(greens), len(set(greens))) == (2, 1)
    assert "progress { accent-color: var(--accent); }" in style


def _imported(module: ast.Module) -> list[str]:
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module or ""]
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def _attributes(module: ast.Module) -> list[str]:
    return [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]


_WRITES = {
    "create",
    "bulk_create",
    "get_or_create",
    "update_or_create",
    "update",
    "bulk_update",
    "delete",
    "save",
    "raw",
}
# Every row of these rooms is written where it says.
_WRITTEN_IN: dict[str, tuple[str, ...]] = {
    # The second holds what a database function does on PostgreSQL across two tenants.
    "budgets": ("dpgov/budgets/services/", "dpgov/budgets/crossing.py"),
    "approvals": ("dpgov/approvals/services.py",),
    "audit": ("dpgov/audit/",),
}


def test_ledger_and_log_are_written_by_their_services_alone() -> None:
    """The import contracts say who may see these tables; this says who may write them."""
    own = {
        room: {m.__name__ for m in apps.get_app_config(room).get_models()} for room in _WRITTEN_IN
    }
    assert all(own.values())
    for path, module in tree.python("dpgov"):
        homes = _WRITTEN_IN.items()
        others = [own[room] for room, home in homes if not tree.name(path).startswith(home)]
        assert not _written(module) & set().union(*others), tree.name(path)


def _written(module: ast.Module) -> set[str]:
    """Names at the start of chains that end in a write, like Charge.objects.filter().delete()."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    writes = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in _WRITES]
    return {name.id for c in writes for name in ast.walk(c.func) if isinstance(name, ast.Name)}


def test_one_place_says_when_the_database_is_away() -> None:
    """Whoever names Django's two errors forgets the third: a PostgreSQL that only reads."""
    named = {"OperationalError", "InterfaceError"}
    found = {tree.name(path) for path, module in tree.python("dpgov") if named & _names(module)}
    assert found == {"dpgov/operation/away.py"}


def _names(module: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
