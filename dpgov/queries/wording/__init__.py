"""Questions and answers in words, numbers, figures and files."""
