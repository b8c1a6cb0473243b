"""Runs one tool of `bench/rivals` in a process of its own, other products' with their packages."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def measured(tool: str, *asked: str, packages: Sequence[str] | None = None) -> Any:
    """The JSON in the last line of `bench/rivals/TOOL.py`; None, and a word, if it could not run.

    With `packages` in an environment that `uv` makes of them; without any, in this one.
    """
    python = [sys.executable]
    if packages is not None:
        wanted = [argument for package in packages for argument in ("--with", package)]
        python = ["uv", "run", "--isolated", "--no-project", *wanted, "python"]
    command = [*python, "-W", "ignore", str(ROOT / "bench" / "rivals" / f"{tool}.py"), *asked]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{tool} could not be measured here", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def surely_measured(tool: str, *asked: str, packages: Sequence[str] | None = None) -> Any:
    """The same for what a table cannot be made without: the script ends where it could not run."""
    found = measured(tool, *asked, packages=packages)
    if found is None:
        raise SystemExit(f"{tool} could not be measured")
    return found


def ratio(ours: float, theirs: float) -> str:
    """As text; of few runs whole numbers may all be exact."""
    if theirs:
        return f"{ours / theirs:.2f}"
    return "theirs exact" if ours else "both exact"


def print_times(ours: Mapping[str, float], theirs: Mapping[str, float], begins: str) -> None:
    """A table of median times of our fits and diffprivlib's; `begins`: what ours begin from."""
    print(f"\n| a fit, ms, median | ours, from {begins} | diffprivlib, from arrays | ratio |")
    print("|---|---|---|---|")
    for name, spent in ours.items():
        print(f"| {name} | {spent:.1f} | {theirs[name]:.1f} | {spent / theirs[name]:.2f} |")
    print()
