"""House rules that run by themselves."""
