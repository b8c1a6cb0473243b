"""Reading a stranger's file, in a child process with little memory and little time.

`python -m dpgov.engines.ingest` reads one JSON request from its input and writes one JSON line.
Nothing here may import the web framework, and no other process may parse an uploaded file. The
caller's side is `dpgov.engines.child`.
"""
