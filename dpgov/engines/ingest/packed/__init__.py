"""What lies in an archive: texts as streams, Parquet files put down one at a time, and sheets.

What could go wrong with several files in one archive, and what is done about it: `archive` for what
an archive may say of itself, `packing` for what comes out of it, `ingest.several` for files that do
not fit together, `as_one` for the same rows that come again cut in another way.
"""
