"""Whose row each row is, and its place among the rows of the same unit.

Two rows belong to one unit when their ids are the same text, spaces at the ends aside; numbers are
compared as they are written, since large ones are not exact as floats, but for whole numbers that
were written as floats (`recognised.hashes`). A row without an id (empty, NaN, or another text of
`NOBODY`) is dropped. `u` numbers the units in no particular order; `k` is a keyed hash of the id,
and `i`, until the rows are ranked, tells ids apart whose hashes are the same. `r` numbers a unit's
rows from 0 in the order of a keyed hash of the unit and of what the row holds in the declared
columns, by their names, then of the stored codes: rows that still tie are the same to every
question. So what is kept of a unit depends on that unit's rows alone, and neither on the order of
the columns nor on columns that nobody declared. `n` is the number of its rows, up to LARGEST_SIZE.
"""
