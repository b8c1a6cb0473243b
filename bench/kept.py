"""What an answered question keeps for good, by table.

`uv run bench/kept.py [--rows 50000]`: so many questions with their holds, charges, answers and
entries on a throw-away PostgreSQL, as `bench/million.py` writes them; the bytes of each table that
grows with them, its indexes and its long values included, after VACUUM FULL.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.million import LONG, prepare
from bench.rig import installation, set_up_django

_SIZES = """
SELECT relname, pg_relation_size(oid), pg_indexes_size(oid), pg_total_relation_size(oid)
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
ORDER BY 4 DESC
"""
# A table that is not among a question's own has less.
_LEAST = 5


def main() -> None:
    """Seed and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    rows = parser.parse_args().rows
    with installation(durable=False) as made:
        set_up_django()
        from bench.seed import as_admin

        prepare(made, rows)
        with as_admin(made.owner_url.rpartition("/")[0] + f"/{LONG}") as admin:
            admin.execute("VACUUM FULL")
            sizes = admin.execute(_SIZES).fetchall()
    print("\n| bytes of each question | rows | indexes | in all |\n|---|---|---|---|")
    for name, *bytes_of in sizes:
        each = [size / rows for size in bytes_of]
        if each[-1] >= _LEAST:
            print(f"| {name} | {each[0]:.0f} | {each[1]:.0f} | {each[2]:.0f} |")
    print(f"| all | | | {sum(size[-1] for size in sizes) / rows:.0f} |")


if __name__ == "__main__":
    main()
