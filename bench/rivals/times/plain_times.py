"""Nobody's privacy: DuckDB over the Parquet file, two threads."""

from collections.abc import Callable

import duckdb

from bench.rivals.times.timed import asked, tell_times
from bench.scans import WORK, Work


def main() -> None:
    """All questions."""
    options = asked()
    connection = duckdb.connect(config={"threads": 2})

    def answer(work: Work) -> Callable[[], object]:
        file = options.persons if work.by_person else options.table
        select = work.plain.replace("FROM file", f"FROM read_parquet('{file}')")
        return lambda: connection.execute(select).fetchall()

    tell_times({work.name: answer(work) for work in WORK}, options.rounds)


if __name__ == "__main__":
    main()
