"""Sentences: made once with their values, said later in the language of whoever reads them."""
