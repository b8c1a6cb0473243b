"""Names and texts as SQL of Spark, in which nothing of them can mean anything else."""


def literal(text: str) -> str:
    """A text as a constant, by its bytes."""
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def identifier(*names: str) -> str:
    """A name, or one within another."""
    return ".".join(f"`{name.replace('`', '``')}`" for name in names)
