"""Proofs about single entries, and how they are checked without this product."""
