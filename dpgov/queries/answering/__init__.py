"""The outbox: from an accepted question to a published answer, through every crash."""
