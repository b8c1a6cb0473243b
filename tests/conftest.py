"""Shared by every test: a throw-away state folder, set before Django reads its settings."""

import os
import tempfile

os.environ["DPGOV_HOME"] = tempfile.mkdtemp(prefix="dpgov-tests-")
os.environ["DPGOV_HTTPS"] = "0"
