"""Anything of an organisation by a few letters: the box that Ctrl-K opens, and its page."""
