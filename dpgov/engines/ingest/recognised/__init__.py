"""What the same data is recognised by: keyed hashes of cells, and multisets of them."""
