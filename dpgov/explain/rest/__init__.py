"""The comparison of accounts over the API."""
