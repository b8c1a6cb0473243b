"""Text of strangers, as it may be shown in a terminal or a line of text. Knows no framework."""


def printable(text: str) -> str:
    """The same text with control characters, ends of lines and direction marks escaped.

    What is printed of it neither moves, hides nor erases anything, and stays in its own line.
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
