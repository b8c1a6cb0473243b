"""The same questions put to other tools, each in an environment of its own."""
