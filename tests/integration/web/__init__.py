"""What pages share: long lists, and choosing out of few or of thousands."""
