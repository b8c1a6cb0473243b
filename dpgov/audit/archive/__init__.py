"""Old months of the log in files: their form, and reading them. `audit.archiving` writes them."""
