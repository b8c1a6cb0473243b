"""The ask form and its kin, in parts."""
