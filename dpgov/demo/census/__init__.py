"""Public data to try the product with, and its declarations as an owner would write them."""
