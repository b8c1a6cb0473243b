"""Real servers that a test run starts for itself and removes again."""
