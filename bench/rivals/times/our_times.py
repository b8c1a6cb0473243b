"""Ours: from the plan to the released body, as `bench/scans.py` has it, by a scan or from cubes."""

from collections.abc import Callable
from pathlib import Path

from bench.rivals.times.timed import asked, tell_times
from bench.scans import WORK, Work, private, stored


def main() -> None:
    """All questions, of files that are read first."""
    options = asked()
    engines = {
        by_person: stored(Path(file), by_person=by_person, cubes=options.cubes)
        for by_person, file in ((False, options.table), (True, options.persons))
    }

    def answer(work: Work) -> Callable[[], object]:
        return lambda: private(work, options.rows, engines[work.by_person])

    tell_times({work.name: answer(work) for work in WORK}, options.rounds)


if __name__ == "__main__":
    main()
