"""The questions of `bench/scans.py`, asked of each library and timed; see `bench/libraries.py`."""
