"""Every script of `bench/` runs, at the smallest size that still does everything once.

A script is a file that can be started; a new one is found by being there, and asks for a size here.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.accuracy import RIVALS
from tests.profile import clean_environment

ROOT = Path(__file__).resolve().parents[3]
_PATIENCE = 900


@dataclass(frozen=True, slots=True)
class Small:
    """How to start a script at a tiny size, what it then says, and how it ends."""

    options: str
    says: str
    ends_with: int = 0


SMALL = {
    "coverage": Small("--answers 5", "| 73 steps, ε 1, 100 rows | mean | alone |"),
    "accuracy": Small("--with= --runs 1", "| table of three columns | 2.0 |"),
    "rivals/our_answers": Small("--runs 1 --tasks sum,median", '"median"'),
    "rivals/opendp_answers": Small("--runs 1 --tasks count", '"count"'),
    "reading": Small("--rows 2000 --rounds 1 --files 2", "| zip | "),
    "scale": Small("--tenants 10 --datasets 10 --seconds 1", "| dataset 10 | "),
    "scans": Small("--rows 1000 --rounds 1", "| table of 16 x 12 | 1,000 |"),
    "appending": Small("--rows 1000 --added 10 --rounds 1", "| person | 1,000 |"),
    "sorting": Small("--rows 1000 --rounds 1", "| histogram of income |"),
    "libraries": Small("--rows 1000 --rounds 1 --with=", "| median | 1,000 |"),
    "choosing": Small("--rows 1000 --rounds 1", "| 1,000 rows of one value |"),
    "postgres": Small("--rows 1000 --rounds 1", "| table of 16 x 12 | 1,000 |"),
    "cubes": Small("--rows 1000 --rounds 1", "| filtered count |"),
    "surveys": Small("--with= --runs 1 --people 60", "| 20 | 2.0 |"),
    "rivals/our_surveys": Small("--runs 1 --people 60", '"20": {"0.5"'),
    "joint": Small("--draws 20", "| 20 | 1 | "),
    "regression": Small("--runs 1 --alone", "| on age, sex and years of school | 2.0 |"),
    "logistic": Small("--runs 1 --alone", "| by age, sex and years of school | 2.0 |"),
    "rivals/our_logits": Small("--runs 1", '"by age"'),
    "rivals/our_logits_in_rho": Small("--runs 1", '"charged": {"losses": {"by age"'),
    "rivals/our_lines": Small("--runs 1", '"on age"'),
    "rivals/our_lines_in_rho": Small("--runs 1", '"charged": {"errors": {"on age"'),
    "derived": Small("--people 200 --runs 1 --here", "| count by days | 1.0 | "),
    "cumulating": Small("--bins 3,17", "| 17 | "),
    "ranging": Small("--bins 4,17", "| 17 | 6.33 | 3.57 | "),
    "tables": Small("--runs 1 --mwem 1 --work pairs", "| pairs | 5 | "),
    "adaptive": Small("--rounds 2 --epsilons 1 --work pairs_of_three", "| pairs_of_three | 1 | "),
    "many_bins": Small("--bins 10x10 --rows 200 --rho 0", "| 100 | discrete Laplace | "),
    "duration": Small(
        "--rows 1000 --rounds 1 --only persons", "| persons by city and sex | 1,000 |"
    ),
    "trips": Small("", "| ask + answer + chart: different files | **"),
    "journey": Small("--rows 1000 --questions 2 --at-once 3 --pairs 2", "| histogram of age |"),
}
# Each starts servers and processes of its own, which costs more than the measurement.
LARGE = {
    "ledger": Small(
        "--seconds 1 --rounds 1 --datasets 1 --clients 1 --entries 1000", "| speed of SHA-256 |"
    ),
    "archive": Small("--questions 40 --entries 120 --rounds 1", "| checking the whole log |"),
    "partitions": Small("--entries 120 --rounds 1", "| the first whole month leaves |"),
    "kept": Small("--rows 40", "| budgets_charge |"),
    "million": Small("--rows 20 --rounds 1 --only price", "| price check (service) |"),
    "pages": Small(
        "--rounds 1 --datasets 60 --questions 100 --entries 400 --only dashboards:home "
        "--copies 5 --members 3",
        "most SQL queries:",
    ),
    "overhead": Small("--rows 100 --warm 2 --requests 10", "| quote |"),
    "declaring": Small("--columns 5 --turns 1", '"columns": 5'),
    "chaos": Small("--seconds 1 --submitters 1", "| lost | 0 |"),
    "registering": Small("--rows 50000 --turns 1 --reads 1", "median ratio:"),
    # Two questions are too few to tell even the control apart, and it says so.
    "timing": Small("--questions 2 --people 20", "told apart: []", ends_with=1),
}
# Needs the dependency group and Java, like the tests of its engine.
WITH_JAVA = {"spark": Small("--rows 1000 --rounds 1", "| table of 16 x 12 | 1,000 |")}
ELSEWHERE = {
    "rivals/diffprivlib_answers": "needs diffprivlib and an older NumPy",
    "rivals/diffprivlib_lines": "needs diffprivlib and an older NumPy",
    "rivals/diffprivlib_logits": "needs diffprivlib and an older NumPy",
    "rivals/smartnoise_answers": "needs smartnoise-sql",
    "rivals/times/our_times": "is started by bench/libraries.py, which writes its tables",
    "rivals/times/plain_times": "is started by bench/libraries.py, which writes its tables",
    "rivals/times/diffprivlib_times": "needs diffprivlib and an older NumPy",
    "rivals/times/opendp_times": "is started by bench/libraries.py, which writes its tables",
    "rivals/times/polars_times": "needs opendp[polars]",
    "rivals/times/smartnoise_times": "needs smartnoise-sql",
    "rivals/times/pipelinedp_times": "needs pipeline-dp",
    "rivals/times/tumult_times": "needs tmlt.analytics, Spark and Java",
    "rivals/pure_ldp_surveys": "needs pure-ldp and an older NumPy",
    "rivals/multi_freq_surveys": "needs multi-freq-ldpy and an older NumPy",
    "rivals/mbi_tables": "needs opendp[mbi], which brings JAX and Polars",
    "rivals/smartnoise_tables": "needs smartnoise-synth, which brings PyTorch",
    "rivals/opendp_joined": "is started by bench/derived.py, which writes its tables",
    "rivals/tumult_answers": "needs tmlt.analytics, Spark and Java",
}


def _scripts() -> list[str]:
    folder = ROOT / "bench"
    startable = [path for path in folder.rglob("*.py") if "__main__" in path.read_text()]
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in startable)


def _run(name: str, options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, f"bench/{name}.py", *options.split()],
        cwd=ROOT,
        env=clean_environment() | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )


def _does_everything_once(name: str, small: Small) -> None:
    done = _run(name, small.options)
    assert done.returncode == small.ends_with, done.stdout
    assert small.says in done.stdout, done.stdout


def test_every_script_has_a_tiny_size_or_a_reason_why_not() -> None:
    assert sorted([*SMALL, *LARGE, *WITH_JAVA, *ELSEWHERE]) == _scripts()


def test_what_runs_elsewhere_only_is_about_other_products() -> None:
    """Their packages are named where `uv` makes their environments."""
    rivals = {f"rivals/{name}_answers" for name in RIVALS}
    answering = {name for name in ELSEWHERE if name.endswith("_answers")}
    assert answering == rivals - {"rivals/opendp_answers"}


@pytest.mark.parametrize("name", SMALL)
def test_the_script_runs_at_a_tiny_size(name: str) -> None:
    _does_everything_once(name, SMALL[name])


@pytest.mark.parametrize("name", [*LARGE, *WITH_JAVA])
def test_the_large_script_starts_and_tells_its_options(name: str) -> None:
    told = _run(name, "--help")
    assert told.returncode == 0, told.stdout
    small = (LARGE | WITH_JAVA)[name]
    options = {word for word in small.options.split() if word.startswith("--")}
    assert {option for option in options if option not in told.stdout} == set()


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_the_large_script_runs_at_a_tiny_size(name: str) -> None:
    _does_everything_once(name, LARGE[name])


@pytest.mark.spark
@pytest.mark.parametrize("name", WITH_JAVA)
def test_the_script_with_java_runs_at_a_tiny_size(name: str) -> None:
    _does_everything_once(name, WITH_JAVA[name])
