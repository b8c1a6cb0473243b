"""Adapters to data: a request in lattice codes goes in, exact integers come out.

An engine knows no web, names, ε or noise. What it returns stays in the memory of the worker that
asked. `ingest` makes the files that the embedded engine reads, in a process of its own.
"""
